import { existsSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAgentError, pause } from '../core/index.ts';
import { readSpecs, type SpecTexts } from './read-specs.ts';
import { makePlace, notWritable, placeOf, type GenerationPlace } from './state-folder.ts';
import { finishSwap, isSwapOpen } from './swap.ts';

/** Works on the generated code of a skill while nobody else does, in no other process either; `onWait` is called once when somebody else is at it. What a killed process left half done is finished first. Throws the signal's reason, or `skill.failed` where nothing can be written. */
export async function withGeneration<Result>(
  dir: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait?: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  const place = placeOf(dir);
  using _lock = await waitForLock(place, signal, onWait);
  await inPlace(place, () => finishSwap(place));
  return await work();
}

const lockRetryMs = 25; // milliseconds between two tries

async function waitForLock(
  place: GenerationPlace,
  signal: AbortSignal,
  onWait: (() => void) | undefined,
): Promise<Disposable> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    makePlace(place);
    const lock = await inPlace(place, () => tryLock(place));
    if (lock !== undefined && !signal.aborted) return lock;
    lock?.[Symbol.dispose]();
    if (tries === 0) onWait?.();
    await pause(lockRetryMs, signal);
  }
}

async function inPlace<Value>(place: GenerationPlace, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw isAgentError(thrown) ? thrown : notWritable(place.bundle, place.folder, thrown);
  }
}

const settleRetryMs = 10; // milliseconds between two looks
const patience = 10_000; // milliseconds

/** Finishes what a process that was killed left half done, before the code of a skill is looked at; does nothing otherwise. `specs` are those that lie in no file. Never throws. */
export async function settleGeneration(dir: string, specs: SpecTexts = {}): Promise<void> {
  const place = placeOf(dir);
  for (let waited = 0; isSwapping(place) && waited < patience; waited += settleRetryMs) {
    if (await hasFinished(place, specs)) return;
    await pause(settleRetryMs);
  }
}

function isSwapping(place: GenerationPlace): boolean {
  try {
    return isSwapOpen(place);
  } catch {
    return false; // what cannot be looked at cannot be finished either
  }
}

/** Code without specs was written by hand: nothing that lies beside it takes its place, whoever put it there. */
function isMade({ bundle }: GenerationPlace, specs: SpecTexts): boolean {
  return readSpecs(bundle, specs) !== undefined || !existsSync(join(bundle, 'src'));
}

/** Whether nothing is left to do, or nothing can be done. */
async function hasFinished(place: GenerationPlace, specs: SpecTexts): Promise<boolean> {
  try {
    using lock = await tryLock(place);
    if (lock === undefined) return false;
    if (isMade(place, specs)) finishSwap(place);
    else rmSync(place.journal, { recursive: true, force: true });
    return true;
  } catch {
    return true; // then the code is taken as it is, and who reads it says what is missing
  }
}

/**
 * The lock on a place that is there, or undefined while somebody has it; it ends with whoever holds it, however that
 * one ends. The file is opened by SQLite only: closing it in any other way would end the locks of this process.
 */
async function tryLock({ lock }: GenerationPlace): Promise<Disposable | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  // A link could lead anywhere; what somebody filled could have SQLite finish a transaction on files of their choice.
  if (stats !== undefined && !(stats.isFile() && stats.size === 0))
    rmSync(lock, { recursive: true, force: true });
  const held = new DatabaseSync(lock, { timeout: 0 });
  try {
    held.exec('BEGIN EXCLUSIVE');
    if (existsSync(lock)) return held;
  } catch (thrown) {
    held.close();
    const { errcode } = thrown as { readonly errcode?: unknown };
    if (typeof errcode !== 'number') throw thrown;
    if ((errcode & 0xff) === notADatabase)
      rmSync(lock, { force: true }); // nobody can hold it
    else if ((errcode & 0xff) !== busy) throw thrown;
    return undefined;
  }
  held.close(); // somebody removed the folder meanwhile, so that it locks out nobody
  return undefined;
}

const busy = 5; // SQLITE_BUSY
const notADatabase = 26; // SQLITE_NOTADB
