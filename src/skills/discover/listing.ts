import { readdirSync } from 'node:fs';
import type { Family, SkillPlugin, Source } from '../../core/index.ts';
import { ignoreFiles } from '../../files/index.ts';

/** A folder to search for skills. */
export interface Root {
  /** The absolute path, with links unresolved. */
  readonly path: string;
  readonly source: Source;
  /**
   * `skills`, or the name of a family's folder. In the latter case, every Markdown file below the root
   * belongs to that family.
   */
  readonly kind: string;
  /** Set if the user named the root. If such a root is missing, an issue is reported. */
  readonly named?: true;
  /** The skill folders in the root that were installed, according to a lock. */
  readonly installed?: readonly string[] | 'all';
  /** The server whose skills were copied to this folder, if any. */
  readonly server?: string;
  /** The plugin whose skills are in this folder, if any. */
  readonly plugin?: SkillPlugin;
  /** The name of the only file in this folder that belongs to the root. Absent if all files belong to it. */
  readonly only?: string;
  /** Set if only files directly in the folder belong to the root, not those in its subfolders. */
  readonly isFlat?: true;
  /**
   * The name of the skill whose bundle is this folder. The search skips the skill itself and finds nested
   * skills.
   */
  readonly parent?: string;
}

/** The kind of root that contains skill folders. */
export const skillsRoot = 'skills';

/** The file and folder names by which families recognise their skills. File names are in lower case. */
export interface Descriptors {
  readonly byFile: ReadonlyMap<string, { readonly family: Family; readonly file: string }>;
  /** The family of loose Markdown files in a skills root. */
  readonly loose: Family | undefined;
  readonly byFolder: ReadonlyMap<string, Family>;
  /** The families of Markdown files in command folders, keyed by the folder's name. */
  readonly commands: ReadonlyMap<string, { readonly family: Family; readonly within: readonly string[] }>;
}

/**
 * Collects the file and folder names of all families. If two families use the same name, it belongs to the
 * first one.
 */
export function descriptorsOf(families: readonly Family[]): Descriptors {
  const byFile = new Map<string, { family: Family; file: string }>();
  const byFolder = new Map<string, Family>();
  const commands = new Map<string, { family: Family; within: readonly string[] }>();
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
    const { folder, within } = descriptor.commands ?? { folder: '', within: [] };
    if (folder !== '' && !commands.has(folder)) commands.set(folder, { family, within });
  }
  return { byFile, loose, byFolder, commands };
}

/** The contents of a folder that are relevant to a scan. Each list is sorted by code units. */
export interface Listing {
  readonly dirs: readonly string[];
  /** The folder's Markdown and ignore files. */
  readonly files: readonly string[];
  readonly links: readonly string[];
  /** FIFOs, sockets and devices whose names have a Markdown extension. */
  readonly odd: readonly string[];
}

const nothing: readonly string[] = [];

/** The hidden folders in which Codex and its collections keep skills. */
const hiddenCollections = new Set(['.curated', '.experimental', '.system']);

/** Lists a folder. Skips hidden names and `node_modules`. Throws file system errors. */
export function readListing(dir: string): Listing {
  let dirs: string[] | undefined;
  let files: string[] | undefined;
  let links: string[] | undefined;
  let odd: string[] | undefined;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('.') && !hiddenCollections.has(name)) {
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
