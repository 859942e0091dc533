import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson, stagingName } from '../core/index.ts';
import { digestFolder } from '../files/index.ts';
import { readSmallFile, syncFolder, writeWholeFile } from './file-access.ts';
import type { GenerationPlace } from './state-folder.ts';

/** New code that is to take the place of old. */
interface Swap {
  /** The name of the folder in the place in which the copy with the new code lies. */
  readonly staging: string;
  /** The digest of the bundle that was copied. */
  readonly origin: string;
}

/** Puts new code in the place of old; where that fails the old stays, where the process ends `finishSwap` goes on. */
export function swapIn(place: GenerationPlace, swap: Swap): void {
  const ways = waysOf(place, swap);
  writeWholeFile(place.journal, `${JSON.stringify({ version: 1, ...swap })}\n`);
  try {
    moveForward(ways);
  } catch (thrown) {
    if (!isThere(ways.current) && isThere(ways.old)) renameSync(ways.old, ways.current);
    rmSync(place.journal, { force: true });
    throw thrown;
  }
  syncFolder(place.bundle);
  rmSync(place.journal, { force: true });
}

/** Finishes the swap of a process that was killed, and removes what such processes left; only under the lock. */
export function finishSwap(place: GenerationPlace): void {
  const swap = readJournal(place);
  if (swap !== undefined) goOn(place, swap);
  rmSync(place.journal, { recursive: true, force: true });
  for (const name of readdirSync(place.folder)) {
    if (stagingName.test(name) || name.endsWith('.tmp')) discard(join(place.folder, name));
  }
}

/** Whether a swap has begun and not ended; what its staging folder holds is needed until then. */
export function isSwapOpen({ journal }: GenerationPlace): boolean {
  return isThere(journal);
}

/** Removes a folder that nobody needs any more. Never throws. */
export function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // it is in nobody's way, and the next generation tries again
  }
}

interface Ways {
  readonly current: string;
  readonly made: string;
  /** Where the code goes that was there before. */
  readonly old: string;
}

function waysOf({ bundle, folder }: GenerationPlace, { staging }: Swap): Ways {
  return {
    current: join(bundle, 'src'),
    made: join(folder, staging, 'copy', 'src'),
    old: join(folder, staging, 'old'),
  };
}

function moveForward({ current, made, old }: Ways): void {
  if (isThere(current)) renameSync(current, old);
  renameSync(made, current);
}

/** Goes forward from where the other process was, but never over something that came after it. */
function goOn(place: GenerationPlace, swap: Swap): void {
  const ways = waysOf(place, swap);
  const { current, made, old } = ways;
  if (!isFolder(made)) {
    if (!isThere(current) && isThere(old)) renameSync(old, current);
  } else if (!isThere(current)) renameSync(made, current);
  else if (!isThere(old) && isStill(place.bundle, swap.origin)) moveForward(ways);
  syncFolder(place.bundle);
}

/** Whether a folder still has this digest. Never throws. */
export function isStill(folder: string, digest: string): boolean {
  try {
    return digestFolder(folder) === digest;
  } catch {
    return false; // what cannot be read is left alone
  }
}

/** What the journal says; undefined for one that leads anywhere but to a staging folder of this place. */
function readJournal({ journal, folder }: GenerationPlace): Swap | undefined {
  const read = readSmallFile(journal, 10_000);
  if (read === undefined || 'fault' in read) return undefined;
  const json = parseJson(read.bytes.toString('utf8'));
  if (!isJsonObject(json) || json['version'] !== 1) return undefined;
  const { staging, origin } = json;
  if (typeof staging !== 'string' || typeof origin !== 'string' || !stagingName.test(staging))
    return undefined;
  const isWhole = isFolder(join(folder, staging)) && isFolder(join(folder, staging, 'copy'));
  return isWhole ? { staging, origin } : undefined;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
