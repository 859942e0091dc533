import { hash, randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../core/json/normalize.ts';
import { AgentError } from '../../core/error.ts';
import type { ServerPlace } from '../../core/servers/tool-server.ts';
import { showPlace } from '../shown-place.ts';

/** Where the copies of one server are. */
export interface Shelf {
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
export function openShelf(all: string, place: ServerPlace): Shelf {
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
export function beginCopy({ folder }: Shelf): string {
  const path = join(folder, `new-${randomUUID()}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Forgets the copies of a shelf that nobody used for a day, all but the current one. */
export function tidyShelf({ folder }: Shelf, current: string): void {
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
