import { hash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  AgentError,
  canonicalJson,
  isJsonObject,
  type Issue,
  type Json,
  type ServerPlace,
} from '../../core/index.ts';
import { showPlace } from '../channel.ts';

/** What came of asking a server the last time that it answered. */
export interface LastMount {
  /** The name of the copy on the shelf; none where the server had nothing that could be taken. */
  readonly copy?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Until when the server need not be asked again, as it said. */
  readonly freshUntil: number;
  readonly issues: readonly Issue[];
}

const file = 'last.json';

/** What the shelf says, where it can be read and the copy is still there. */
export function readLastMount({ folder }: CacheFolder): LastMount | undefined {
  try {
    const kept = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json;
    if (!isLastMount(kept)) return undefined;
    return kept.copy === undefined || existsSync(join(folder, kept.copy)) ? kept : undefined;
  } catch {
    return undefined; // there was none, or it cannot be read: the server is asked
  }
}

/** Keeps it for the next start, whole or not at all. */
export function writeLastMount({ folder }: CacheFolder, last: LastMount): void {
  const beside = join(folder, `last-${randomUUID()}.tmp`);
  try {
    writeFileSync(beside, JSON.stringify(last), { mode: 0o600, flag: 'wx' });
    renameSync(beside, join(folder, file));
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Only we write there; this tells another version of the file. */
function isLastMount(value: unknown): value is LastMount {
  if (!isJsonObject(value)) return false;
  const { copy, at, freshUntil, issues } = value as Partial<LastMount>;
  const isCopy = copy === undefined || /^[0-9a-f]{32}$/.test(copy);
  return isCopy && typeof at === 'number' && typeof freshUntil === 'number' && Array.isArray(issues);
}

/** Where the copies of one server are. */
export interface CacheFolder {
  /** A folder that only its owner can open. */
  readonly folder: string;
  /** What keeps two servers apart: how they are reached, without anything secret. `sha256:…`. */
  readonly identity: string;
  /** For people: the program or the address, without anything secret. */
  readonly shownPlace: string;
}

const oldAfter = 86_400_000; // a day: another process may still work with what was current then
const unusedAfter = 30 * 86_400_000;

/** The shelf of a server in the folder of all; made where it is missing. Servers that were not asked for a month lose theirs. */
export function openShelf(all: string, place: ServerPlace): CacheFolder {
  const identity = `sha256:${hash('sha256', canonicalJson([place.name, ...wayTo(place)]))}`;
  const where = place.kind === 'stdio' ? (place.folder ?? '') : '';
  const folder = join(all, hash('sha256', canonicalJson([identity, where])).slice(0, 32));
  openOwnFolder(all);
  openOwnFolder(folder);
  touch(folder);
  removeOld(all, unusedAfter);
  return { folder, identity, shownPlace: showPlace(place) };
}

/** A folder beside the copies in which a new one is made. */
export function beginCopy({ folder }: CacheFolder): string {
  const path = join(folder, `new-${randomUUID()}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Forgets the copies of a shelf that nobody used for a day, all but the current one. */
export function tidyShelf({ folder }: CacheFolder, current: string): void {
  touch(join(folder, current));
  removeOld(folder, oldAfter);
}

function wayTo(place: ServerPlace): readonly (string | string[])[] {
  if (place.kind === 'stdio') return ['stdio', place.command, [...place.args]];
  return ['http', showPlace(place), new URL(place.url).search];
}

/** Nobody else may have put anything there. */
function openOwnFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = lstatSync(path);
  const isOurs = process.getuid === undefined || stats.uid === process.getuid();
  if (!stats.isDirectory() || !isOurs) {
    throw new AgentError('usage.bad-settings', `${path} is not a folder of your own.`, {
      hint: 'Remove it, so that it can be made anew.',
    });
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

function removeOld(folder: string, age: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    try {
      if (Date.now() - lstatSync(path).mtimeMs > age) rmSync(path, { recursive: true, force: true });
    } catch {
      // another process removes it as well
    }
  }
}
