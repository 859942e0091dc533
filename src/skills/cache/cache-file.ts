import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Redact } from '../../core/index.ts';
import { childOf } from '../../files/index.ts';
import type { Draft } from '../discover/draft.ts';
import type { Fingerprint } from './fingerprint.ts';
import { noKnowledge, type Knowledge } from './memo.ts';
import { checksumOf, readOwnFile, writeOwnFile } from './own-file.ts';

type Names = readonly string[];
type FolderRow = readonly [path: string, files: Names, dirs?: Names, links?: Names, odd?: Names];
type FileRow = readonly [
  ...[folder: number | string, name: string],
  ...[hash: string, family: string, key: string, draft: Draft | null],
];

/**
 * The cached folders and files, which are stored as JSON. After the JSON, the cache file contains their
 * fingerprints in the same order, as six numbers each.
 */
interface Rows {
  readonly folders: readonly FolderRow[];
  readonly files: readonly FileRow[];
}

/**
 * Reads cached data from a file. Returns an empty cache if the file is missing, damaged, written by another
 * user or with another key, or if it contains one of the given secrets. Never throws.
 */
export function readKnowledge(file: string, key: string, secrets: readonly string[] = []): Knowledge {
  try {
    const { bytes } = readOwnFile(file);
    const end = bytes.indexOf('\n');
    const body = bytes.subarray(end + 1);
    if (end < 0 || bytes.toString('utf8', 0, end) !== sealOf(key, body)) return noKnowledge();
    // The settings may contain a secret that was added after the file was written.
    if (secrets.some((secret) => body.includes(JSON.stringify(secret).slice(1, -1)))) return noKnowledge();
    const numbers = body.indexOf('\n') + 1;
    const rows = JSON.parse(body.toString('utf8', 0, numbers)) as Rows;
    return unpack(rows, new Float64Array(Uint8Array.from(body.subarray(numbers)).buffer));
  } catch {
    return noKnowledge(); // If the cache is not readable, start without it.
  }
}

/** Options that determine what may be cached. */
interface Keepable {
  /** The ids of the families whose drafts are cached. */
  readonly families: ReadonlySet<string>;
  /**
   * A function that redacts secrets. Data that contains a secret is not cached, so its file is read again on
   * the next start.
   */
  readonly redact: Redact;
}

/** Atomically writes the cache for the next start. Only the file's owner can read it. */
export function writeKnowledge(file: string, key: string, knowledge: Knowledge, keepable: Keepable): void {
  const { rows, prints } = pack(knowledge, keepable);
  const body = Buffer.concat([Buffer.from(`${JSON.stringify(rows)}\n`), new Uint8Array(prints.buffer)]);
  writeOwnFile(file, [Buffer.from(`${sealOf(key, body)}\n`), body]);
  knowledge.isChanged = false;
}

/**
 * Returns the first line of a cache file. It contains the key, and the length and the checksum of the body.
 */
function sealOf(key: string, body: Buffer): string {
  return `skilled-cache 9 ${JSON.stringify(key)} ${body.length} ${checksumOf(body)}`;
}

function pack(knowledge: Knowledge, { families, redact }: Keepable): { rows: Rows; prints: Float64Array } {
  const index = new Map<string, number>();
  const isClean = (value: unknown): boolean => {
    const text = JSON.stringify(value);
    return redact(text) === text;
  };
  const listed = [...knowledge.folders].filter(([path, { listing }]) => isClean([path, listing]));
  const folders = listed.map(([path, { listing }], position): FolderRow => {
    index.set(path, position);
    const { files: names, dirs, links, odd } = listing;
    if (links.length + odd.length > 0) return [path, names, dirs, links, odd];
    return dirs.length > 0 ? [path, names, dirs] : [path, names];
  });
  const storable = [...knowledge.files].filter(
    ([path, { family, key, draft }]) => families.has(family) && isClean([path, key, draft]),
  );
  const files = storable.map(([path, { hash: content, family, key, draft }]): FileRow => {
    const dir = dirname(path);
    const name = path.slice(path.lastIndexOf(sep) + 1);
    return [index.get(dir) ?? dir, name, content, family, key, draft ?? null];
  });
  const entries = [...listed, ...storable].map(([, known]) => known);
  const prints = Float64Array.from(entries.flatMap(({ print }) => numbersOf(print)));
  return { rows: { folders, files }, prints };
}

const none: Names = [];

function unpack({ folders, files }: Rows, prints: Float64Array): Knowledge {
  const knowledge = noKnowledge();
  let at = 0;
  for (const [path, names, dirs = none, links = none, odd = none] of folders) {
    const listing = { dirs, files: names, links, odd };
    knowledge.folders.set(path, { print: printAt(prints, at++), listing, round: 0 });
  }
  for (const [folder, name, content, family, key, draft] of files) {
    const dir = typeof folder === 'number' ? folders[folder]?.[0] : folder;
    const print = printAt(prints, at++);
    const known = { print, hash: content, family, key, draft: draft ?? undefined, round: 0 };
    if (dir !== undefined) knowledge.files.set(childOf(dir, name), known);
  }
  return knowledge;
}

function numbersOf({ ino, size, mtime, ctime, birth, at }: Fingerprint): readonly number[] {
  return [ino, size, mtime, ctime, birth, at];
}

function printAt(prints: Float64Array, index: number): Fingerprint {
  const first = index * 6;
  const number = (offset: number): number => prints[first + offset] ?? NaN;
  return {
    ino: number(0),
    size: number(1),
    mtime: number(2),
    ctime: number(3),
    birth: number(4),
    at: number(5),
  };
}

const day = 86_400_000;
const retentionMs = 30 * day;

/** Removes caches that were last written more than 30 days ago, such as those of deleted workspaces. */
export function removeOldCaches(folder: string, now = Date.now()): void {
  for (const name of readdirSync(folder)) {
    if (!/^(?:skills-[0-9a-f]{16}\.json|ranking-[0-9a-f]{16}\.bin)/.test(name)) continue;
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > retentionMs) rmSync(file, { force: true });
  }
}

/**
 * Whether a cache file is permanently unusable because it is truncated, overwritten or writable by other
 * users. Returns false if the file cannot be opened. Never throws.
 */
export function isDamagedCache(file: string): boolean {
  try {
    const { bytes } = readOwnFile(file);
    const end = bytes.indexOf('\n');
    const seal = /^skilled-cache \d+ .* (\d+) (\d+)$/.exec(bytes.toString('utf8', 0, Math.max(0, end)));
    const body = bytes.subarray(end + 1);
    return Number(seal?.[1] ?? -1) !== body.length || Number(seal?.[2]) !== checksumOf(body);
  } catch {
    return false; // The file does not exist, or it belongs to another user.
  }
}
