import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson, stagingName } from '../core/index.ts';
import { digestFolder } from '../files/index.ts';
import { readSmallFile, syncFolder, writeWholeFile } from './file-access.ts';
import type { GenerationPaths } from './state-folder.ts';

/** The replacement of a bundle's code with generated code. */
interface Swap {
  /** The name of the staging folder that contains the new code. It is in the state folder. */
  readonly staging: string;
  /** The digest that the bundle had when it was copied. */
  readonly origin: string;
}

/**
 * Replaces a bundle's code with the new code. If this fails, the old code remains in place. After a crash,
 * call `finishSwap`.
 */
export function swapIn(paths: GenerationPaths, swap: Swap): void {
  const ways = waysOf(paths, swap);
  writeWholeFile(paths.journal, `${JSON.stringify({ version: 1, ...swap })}\n`);
  try {
    moveForward(ways);
  } catch (thrown) {
    if (!isThere(ways.current) && isThere(ways.old)) renameSync(ways.old, ways.current);
    rmSync(paths.journal, { force: true });
    throw thrown;
  }
  syncFolder(paths.bundle);
  rmSync(paths.journal, { force: true });
}

/**
 * Completes any swap that a killed process left unfinished, and removes leftover files. The caller must hold
 * the lock.
 */
export function finishSwap(paths: GenerationPaths): void {
  const swap = readJournal(paths);
  if (swap !== undefined) finish(paths, swap);
  rmSync(paths.journal, { recursive: true, force: true });
  for (const name of readdirSync(paths.folder)) {
    if (stagingName.test(name) || name.endsWith('.tmp')) discard(join(paths.folder, name));
  }
}

/** Whether a swap is unfinished. If so, its staging folder must not be removed. */
export function isSwapOpen({ journal }: GenerationPaths): boolean {
  return isThere(journal);
}

/** Removes a folder that is no longer needed. Never throws. */
export function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // A leftover folder does no harm, and the next generation tries to remove it again.
  }
}

interface Ways {
  readonly current: string;
  readonly staged: string;
  /** The folder that contains the previous code during the swap. */
  readonly old: string;
}

function waysOf({ bundle, folder }: GenerationPaths, { staging }: Swap): Ways {
  return {
    current: join(bundle, 'src'),
    staged: join(folder, staging, 'copy', 'src'),
    old: join(folder, staging, 'old'),
  };
}

function moveForward({ current, staged, old }: Ways): void {
  if (isThere(current)) renameSync(current, old);
  renameSync(staged, current);
}

/** Completes a swap. Never overwrites code that is newer than the swap. */
function finish(paths: GenerationPaths, swap: Swap): void {
  const ways = waysOf(paths, swap);
  const { current, staged, old } = ways;
  if (!isFolder(staged)) {
    if (!isThere(current) && isThere(old)) renameSync(old, current);
  } else if (!isThere(current)) renameSync(staged, current);
  else if (!isThere(old) && isStill(paths.bundle, swap.origin)) moveForward(ways);
  syncFolder(paths.bundle);
}

/** Whether a folder still has this digest. Never throws. */
export function isStill(folder: string, digest: string): boolean {
  try {
    return digestFolder(folder) === digest;
  } catch {
    return false; // A folder that cannot be read must not be replaced.
  }
}

/** Reads the journal. Returns undefined unless the journal names a staging folder in this state folder. */
function readJournal({ journal, folder }: GenerationPaths): Swap | undefined {
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
