import { readdirSync } from 'node:fs';
import type { Family, Source } from '../../core/index.ts';
import { ignoreFiles } from '../../files/index.ts';

/** A folder in which skills are looked for. */
export interface Root {
  /** Absolute, as the user would write it. */
  readonly path: string;
  readonly source: Source;
  /** `skills`, or the folder name of the family that owns every Markdown file below it. */
  readonly kind: string;
  /** Set when the user named it: then a missing folder is worth a finding. */
  readonly named?: true;
  /** The server whose skills these are copies of. */
  readonly server?: string;
}

/** The kind of a root that holds bundles. */
export const skillsRoot = 'skills';

/** The descriptor names of all families, by lower-case spelling. */
export interface Descriptors {
  readonly byFile: ReadonlyMap<string, { readonly family: Family; readonly file: string }>;
  /** The family that takes loose Markdown files in a skills root. */
  readonly loose: Family | undefined;
  readonly byFolder: ReadonlyMap<string, Family>;
}

/** Asks each family how its files are recognised; the earlier family wins a name claimed twice. */
export function descriptorsOf(families: readonly Family[]): Descriptors {
  const byFile = new Map<string, { family: Family; file: string }>();
  const byFolder = new Map<string, Family>();
  let loose: Family | undefined;
  for (const family of families) {
    const { descriptor } = family;
    if (descriptor === undefined) continue;
    if ('folder' in descriptor) {
      if (!byFolder.has(descriptor.folder)) byFolder.set(descriptor.folder, family);
      continue;
    }
    const key = descriptor.file.toLowerCase();
    if (!byFile.has(key)) byFile.set(key, { family, file: descriptor.file });
    if (descriptor.loose === true) loose ??= family;
  }
  return { byFile, loose, byFolder };
}

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
