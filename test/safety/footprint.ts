import { hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, utimesSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** The contents of a folder, keyed by path: kind, mode, size, modification time and content. */
export type Footprint = Readonly<Record<string, string>>;

const changedAt = 1_600_000_000; // in seconds; any time in the past
const readAt = 1_000_000_000;

/** Sets old modification and access times for everything below a folder, and returns its contents. */
export function footprintOf(folder: string): Footprint {
  const paths = pathsBelow(folder);
  for (const path of paths) makeOld(path);
  const print = Object.fromEntries(paths.map((path) => [path, describe(path)]));
  for (const path of paths) makeOld(path); // the scan itself has read it
  return print;
}

/** Returns the current contents without changing access times. */
export function footprintNow(folder: string): Footprint {
  return Object.fromEntries(pathsBelow(folder).map((path) => [path, describe(path)]));
}

/**
 * Returns the files and folders that were read since then. Empty if the file system records no access times.
 */
export function readSince(print: Footprint): readonly string[] {
  return Object.keys(print).filter((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && isAged(stats) && stats.atimeMs !== readAt * 1000;
  });
}

function pathsBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // Caches may change, and a new store is added to the user's list.
  const own = /(?:^|[/])[.]cache(?:[/]|$)|^[.]skilled(?:[/]stores[.]json(?:[.]lock)?)?$/;
  const paths = names.filter((name) => !own.test(name));
  return [folder, ...paths.map((name) => join(folder, name))].sort();
}

function makeOld(path: string): void {
  if (isAged(lstatSync(path))) utimesSync(path, readAt, changedAt);
}

function isAged(stats: Stats): boolean {
  return stats.isFile() || stats.isDirectory();
}

function describe(path: string): string {
  const stats = lstatSync(path);
  const all = `${stats.mode.toString(8)} ${stats.mtimeMs}`;
  if (stats.isSymbolicLink()) return `${all} -> ${readlinkSync(path)}`;
  return stats.isFile() ? `${all} ${stats.size} ${hash('sha256', readFileSync(path))}` : all;
}
