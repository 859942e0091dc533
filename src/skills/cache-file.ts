import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Draft } from './draft.ts';
import type { KnownFile, KnownFolder, Fingerprint } from './memo.ts';
import type { Listing } from './listing.ts';

/** What a memo knows, ready to be kept for the next start. */
export interface Knowledge {
  readonly folders: Map<string, KnownFolder>;
  readonly files: Map<string, KnownFile>;
}

type Print = readonly [ino: number, size: number, mtime: number, ctime: number, birth: number, at: number];
type FolderRow = readonly [path: string, print: Print, listing: readonly (readonly string[])[]];
type FileRow = readonly [folder: number | string, name: string, print: Print, hash: string, key: string, draft: Draft | null];

/** Knowledge that knows nothing. */
export function noKnowledge(): Knowledge {
  return { folders: new Map(), files: new Map() };
}

/** Reads what was kept under this key; a missing, foreign or damaged file counts as nothing known. */
export function readKnowledge(file: string, key: string): Knowledge {
  const text = readOrEmpty(file);
  const end = text.indexOf('\n');
  if (end < 0 || text.slice(0, end) !== sealOf(key, text.slice(end + 1))) return noKnowledge();
  const { folders, files } = JSON.parse(text.slice(end + 1)) as { folders: FolderRow[]; files: FileRow[] };
  const knowledge = noKnowledge();
  for (const [path, print, lists] of folders) knowledge.folders.set(path, { print: printOf(print), listing: listingOf(lists) });
  for (const [folder, name, print, content, place, draft] of files) {
    const dir = typeof folder === 'number' ? folders[folder]?.[0] : folder;
    if (dir !== undefined) knowledge.files.set(dir + sep + name, { print: printOf(print), hash: content, key: place, draft: draft ?? undefined });
  }
  return knowledge;
}

/** Keeps knowledge for the next start: written beside, then moved, readable by its owner only. */
export function writeKnowledge(file: string, key: string, knowledge: Knowledge): void {
  const index = new Map<string, number>();
  const folders = [...knowledge.folders].map(([path, known], position): FolderRow => {
    index.set(path, position);
    const { dirs, files, links, odd } = known.listing;
    return [path, rowOf(known.print), [dirs, files, links, odd]];
  });
  const files = [...knowledge.files].map(([path, known]): FileRow => {
    const dir = path.slice(0, path.lastIndexOf(sep));
    return [index.get(dir) ?? dir, path.slice(dir.length + 1), rowOf(known.print), known.hash, known.key, known.draft ?? null];
  });
  const body = JSON.stringify({ folders, files });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, `${sealOf(key, body)}\n${body}`, { mode: 0o600 });
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** The first line of the file: a checksum over key and content, so that nothing damaged or foreign is believed. */
function sealOf(key: string, body: string): string {
  return `skilled-cache 1 ${hash('sha256', `${key}\n${body}`)}`;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // no cache yet, or not readable: the start is cold
  }
}

function printOf([ino, size, mtime, ctime, birth, at]: Print): Fingerprint {
  return { ino, size, mtime, ctime, birth, at };
}

function rowOf({ ino, size, mtime, ctime, birth, at }: Fingerprint): Print {
  return [ino, size, mtime, ctime, birth, at];
}

function listingOf(lists: FolderRow[2]): Listing {
  const [dirs = [], files = [], links = [], odd = []] = lists;
  return { dirs, files, links, odd };
}
