import { readdirSync } from 'node:fs';
import type { Family, Source } from '../../core/index.ts';
import { ignoreFiles } from '../../files/index.ts';

/** A folder to search for skills. */
export interface Root {
  /** The absolute path as the user wrote it. */
  readonly path: string;
  readonly source: Source;
  /**
   * The kind of root: `skills`, or the folder name of the family that every Markdown file below the root
   * belongs to.
   */
  readonly kind: string;
  /** Set if the user named the root explicitly. A missing folder is then reported. */
  readonly named?: true;
  /** The server whose skills are copied to this folder, if any. */
  readonly server?: string;
}

/** The kind of root that contains skill folders. */
export const skillsRoot = 'skills';

/** The descriptor names of all families, keyed by their lower-case spelling. */
export interface Descriptors {
  readonly byFile: ReadonlyMap<string, { readonly family: Family; readonly file: string }>;
  /** The family of loose Markdown files in a skills root. */
  readonly loose: Family | undefined;
  readonly byFolder: ReadonlyMap<string, Family>;
}

/**
 * Collects the descriptor names of all families. If two families claim the same name, the earlier one wins.
 */
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

/** The relevant contents of a folder. Each list is sorted by code units. */
export interface Listing {
  readonly dirs: readonly string[];
  /** The folder's Markdown and ignore files. */
  readonly files: readonly string[];
  readonly links: readonly string[];
  /** Names with a Markdown extension that belong to FIFOs, sockets or devices instead of regular files. */
  readonly odd: readonly string[];
}

const nothing: readonly string[] = [];

/** Reads a folder, skipping hidden names and `node_modules`. Throws file system errors. */
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

/** Whether a name has the extension of a Markdown file. */
export function isMarkdown(name: string): boolean {
  return /\.md$/i.test(name);
}
