import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Draft } from './draft.ts';
import type { Fingerprint } from './fingerprint.ts';
import { noKnowledge, type Knowledge } from './memo.ts';
import { childOf } from './paths.ts';

type Print = readonly [ino: number, size: number, mtime: number, ctime: number, birth: number, at: number];
type Names = readonly string[];
type FolderRow = readonly [path: string, print: Print, dirs: Names, files: Names, links: Names, odd: Names];
type FileRow = readonly [
  ...[folder: number | string, name: string, print: Print],
  ...[hash: string, family: string, key: string, draft: Draft | null],
];

/** Reads what was kept under this key; a missing, foreign or damaged file counts as nothing known. Never throws. */
export function readKnowledge(file: string, key: string): Knowledge {
  try {
    const bytes = readOwn(file);
    const end = bytes.indexOf('\n');
    const body = bytes.subarray(end + 1);
    if (end < 0 || bytes.toString('latin1', 0, end) !== sealOf(key, body)) return noKnowledge();
    return unpack(JSON.parse(body.toString()) as { folders: FolderRow[]; files: FileRow[] });
  } catch {
    return noKnowledge(); // no cache yet, or none that we can read: the start is cold
  }
}

/** Keeps knowledge for the next start, but no drafts of other families: written beside, then moved, for its owner only. */
export function writeKnowledge(
  file: string,
  key: string,
  knowledge: Knowledge,
  families: ReadonlySet<string>,
): void {
  const body = Buffer.from(JSON.stringify(pack(knowledge, families)));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(beside, Buffer.concat([Buffer.from(`${sealOf(key, body)}\n`), body]), {
      mode: 0o600,
      flag: 'wx',
    });
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
  knowledge.isChanged = false;
}

/** The first line of the file: what it was made for and a checksum, so that nothing foreign or damaged is believed. */
function sealOf(key: string, body: Buffer): string {
  return `skilled-cache 3 ${hash('sha256', key)} ${body.length} ${crc32(body)}`;
}

/** The bytes of a regular file that only we can have written. */
function readOwn(file: string): Buffer {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    const isOurs =
      process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
    return stats.isFile() && isOurs ? readFileSync(handle) : Buffer.alloc(0);
  } finally {
    closeSync(handle);
  }
}

function pack(
  knowledge: Knowledge,
  families: ReadonlySet<string>,
): { folders: FolderRow[]; files: FileRow[] } {
  const index = new Map<string, number>();
  const folders = [...knowledge.folders].map(([path, { print, listing }], position): FolderRow => {
    index.set(path, position);
    return [path, rowOf(print), listing.dirs, listing.files, listing.links, listing.odd];
  });
  const kept = [...knowledge.files].filter(([, { family }]) => families.has(family));
  const files = kept.map(([path, { print, hash: content, family, key, draft }]): FileRow => {
    const dir = dirname(path);
    const name = path.slice(path.lastIndexOf(sep) + 1);
    return [index.get(dir) ?? dir, name, rowOf(print), content, family, key, draft ?? null];
  });
  return { folders, files };
}

function unpack({ folders, files }: { folders: FolderRow[]; files: FileRow[] }): Knowledge {
  const knowledge = noKnowledge();
  for (const [path, print, dirs, names, links, odd] of folders) {
    knowledge.folders.set(path, {
      print: printOf(print),
      listing: { dirs, files: names, links, odd },
      round: 0,
    });
  }
  for (const [folder, name, print, content, family, key, draft] of files) {
    const dir = typeof folder === 'number' ? folders[folder]?.[0] : folder;
    if (dir === undefined) continue;
    const path = childOf(dir, name);
    knowledge.files.set(path, {
      print: printOf(print),
      hash: content,
      family,
      key,
      draft: draft ?? undefined,
      round: 0,
    });
  }
  return knowledge;
}

function printOf([ino, size, mtime, ctime, birth, at]: Print): Fingerprint {
  return { ino, size, mtime, ctime, birth, at };
}

function rowOf({ ino, size, mtime, ctime, birth, at }: Fingerprint): Print {
  return [ino, size, mtime, ctime, birth, at];
}
