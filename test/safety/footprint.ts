import { hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, utimesSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What lies below a folder, by path: kind, mode, size, time of change and content of each. */
export type Footprint = Readonly<Record<string, string>>;

const changedAt = 1_600_000_000; // seconds; any round moment of the past will do
const readAt = 1_000_000_000;

/** Makes all below a folder look old and unread, and notes what is there. */
export function footprintOf(folder: string): Footprint {
  const paths = pathsBelow(folder);
  for (const path of paths) makeOld(path);
  const print = Object.fromEntries(paths.map((path) => [path, describe(path)]));
  for (const path of paths) makeOld(path); // looking at it was reading it
  return print;
}

/** What lies there now, and nothing is made to look like anything. */
export function footprintNow(folder: string): Footprint {
  return Object.fromEntries(pathsBelow(folder).map((path) => [path, describe(path)]));
}

/** The files and folders that somebody read since they were made to look unread; where no times of reading are kept, none. */
export function readSince(print: Footprint): readonly string[] {
  return Object.keys(print).filter((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && isAged(stats) && stats.atimeMs !== readAt * 1000;
  });
}

function pathsBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // What was read may be cached, and a store that is made is put on the user's list.
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
