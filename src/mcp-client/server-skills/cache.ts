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
  type ServerEndpoint,
} from '../../core/index.ts';
import { describeEndpoint } from '../channel.ts';

/** The result of the last successful request for the skills of a server. */
export interface LastMount {
  /** The name of the copy in the server's cache folder. Absent if the server had no usable skills. */
  readonly copy?: string;
  /** The time of the request, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** When the server's list of skills expires, in milliseconds since the Unix epoch. */
  readonly freshUntil: number;
  readonly issues: readonly Issue[];
}

const file = 'last.json';

/**
 * Reads the result of the last request. Returns undefined if the result is missing or invalid, or if its copy
 * no longer exists.
 */
export function readLastMount({ folder }: CacheFolder): LastMount | undefined {
  try {
    const stored = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json;
    if (!isLastMount(stored)) return undefined;
    return stored.copy === undefined || existsSync(join(folder, stored.copy)) ? stored : undefined;
  } catch {
    return undefined; // The file is missing or unreadable, so the server must be queried.
  }
}

/** Saves the result for the next start. Atomic. */
export function writeLastMount({ folder }: CacheFolder, last: LastMount): void {
  const beside = join(folder, `last-${randomUUID()}.tmp`);
  try {
    writeFileSync(beside, JSON.stringify(last), { mode: 0o600, flag: 'wx' });
    renameSync(beside, join(folder, file));
  } finally {
    rmSync(beside, { force: true });
  }
}

/**
 * Whether a value has the current format. Checks only a few properties, because no other program writes the
 * file.
 */
function isLastMount(value: unknown): value is LastMount {
  if (!isJsonObject(value)) return false;
  const { copy, at, freshUntil, issues } = value as Partial<LastMount>;
  const isCopy = copy === undefined || /^[0-9a-f]{32}$/.test(copy);
  return isCopy && typeof at === 'number' && typeof freshUntil === 'number' && Array.isArray(issues);
}

/** The cache folder of one server. */
export interface CacheFolder {
  /** The path of the folder, which only its owner can access. */
  readonly folder: string;
  /** A hash (`sha256:…`) of the server's name and its address or command, without secrets. */
  readonly identity: string;
  /** The server's program or address, for display. */
  readonly label: string;
}

// The age at which an unused copy is removed, one day in milliseconds. Until then, another process may still
// be using it.
const oldAfter = 86_400_000;
const unusedAfter = 30 * 86_400_000;

/**
 * Opens the cache folder of a server and creates it if it is missing. Removes the cache folders of servers
 * that have not been used for a month.
 */
export function openCacheFolder(all: string, endpoint: ServerEndpoint): CacheFolder {
  const identity = `sha256:${hash('sha256', canonicalJson([endpoint.name, ...wayTo(endpoint)]))}`;
  const where = endpoint.kind === 'stdio' ? (endpoint.folder ?? '') : '';
  const folder = join(all, hash('sha256', canonicalJson([identity, where])).slice(0, 32));
  openOwnFolder(all);
  openOwnFolder(folder);
  touch(folder);
  removeOld(all, unusedAfter);
  return { folder, identity, label: describeEndpoint(endpoint) };
}

/** Creates the folder in which a new copy is built. */
export function beginCopy({ folder }: CacheFolder): string {
  const path = join(folder, `new-${randomUUID()}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Removes copies that have not been used for a day. Keeps the current copy. */
export function tidyCacheFolder({ folder }: CacheFolder, current: string): void {
  touch(join(folder, current));
  removeOld(folder, oldAfter);
}

function wayTo(endpoint: ServerEndpoint): readonly (string | string[])[] {
  if (endpoint.kind === 'stdio') return ['stdio', endpoint.command, [...endpoint.args]];
  return ['http', describeEndpoint(endpoint), new URL(endpoint.url).search];
}

/**
 * Creates a private folder if it is missing. Throws if the path is not a folder or belongs to another user.
 */
function openOwnFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = lstatSync(path);
  const isOurs = process.getuid === undefined || stats.uid === process.getuid();
  if (!stats.isDirectory() || !isOurs) {
    throw new AgentError('usage.bad-settings', `${path} is not a folder that you own.`, {
      hint: 'Remove it so that the folder can be created again.',
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
      // another process is also removing it
    }
  }
}
