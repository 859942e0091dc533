import { readdirSync } from 'node:fs';
import { ignoreFiles } from '../files/ignore-rules.ts';

/** What matters of a folder's content, each list sorted by code units. */
export interface Listing {
  readonly dirs: readonly string[];
  /** Markdown and ignore files. */
  readonly files: readonly string[];
  readonly links: readonly string[];
  /** Markdown names that are no regular file: FIFO, socket, device. */
  readonly odd: readonly string[];
}

const nothing: readonly string[] = [];

/** Reads a folder; hidden names and `node_modules` are left out, throws what the file system throws. */
export function readListing(dir: string): Listing {
  let dirs: string[] | undefined;
  let files: string[] | undefined;
  let links: string[] | undefined;
  let odd: string[] | undefined;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('.')) {
      if (ignoreFiles.includes(name) && entry.isFile()) (files ??= []).push(name);
    } else if (name === 'node_modules') continue;
    else if (entry.isDirectory()) (dirs ??= []).push(name);
    else if (entry.isSymbolicLink()) (links ??= []).push(name);
    else if (!isMarkdown(name)) continue;
    else if (entry.isFile()) (files ??= []).push(name);
    else (odd ??= []).push(name);
  }
  return {
    dirs: dirs?.sort() ?? nothing,
    files: files?.sort() ?? nothing,
    links: links?.sort() ?? nothing,
    odd: odd?.sort() ?? nothing,
  };
}

/** Whether a name ends like a Markdown file. */
export function isMarkdown(name: string): boolean {
  return /\.md$/i.test(name);
}
