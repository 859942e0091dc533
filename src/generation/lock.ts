import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAgentError, pause } from '../core/index.ts';
import { tryFileLock } from '../files/index.ts';
import { readSpecs, type SpecTexts } from './read-specs.ts';
import { createStateFolder, notWritable, generationPaths, type GenerationPaths } from './state-folder.ts';
import { finishSwap, isSwapOpen } from './swap.ts';

/**
 * Runs a function with exclusive access to a skill's generated code among all processes. First completes any
 * code swap that a killed process left unfinished. Calls `onWait` once if it has to wait for the lock. Throws
 * the abort reason if the signal aborts, and `skill.failed` if the state folder is not writable.
 */
export async function withGeneration<Result>(
  dir: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait?: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  const paths = generationPaths(dir);
  using _lock = await waitForLock(paths, signal, onWait);
  await wrapWriteErrors(paths, () => finishSwap(paths));
  return await work();
}

const lockRetryMs = 25; // The interval between attempts to acquire the lock, in milliseconds.

async function waitForLock(
  paths: GenerationPaths,
  signal: AbortSignal,
  onWait: (() => void) | undefined,
): Promise<Disposable> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    createStateFolder(paths);
    const lock = await wrapWriteErrors(paths, () => tryFileLock(paths.lock));
    if (lock !== undefined && !signal.aborted) return lock;
    lock?.[Symbol.dispose]();
    if (tries === 0) onWait?.();
    await pause(lockRetryMs, signal);
  }
}

async function wrapWriteErrors<Value>(
  paths: GenerationPaths,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw isAgentError(thrown) ? thrown : notWritable(paths.bundle, paths.folder, thrown);
  }
}

const settleRetryMs = 10; // The interval between checks for a completed swap, in milliseconds.
const patience = 10_000; // The maximum time to wait for a swap to complete, in milliseconds.

/**
 * Completes any code swap that a killed process left unfinished. Call this function before reading a skill's
 * code. `specs` contains the specs that are not stored in files. Never throws.
 */
export async function settleGeneration(dir: string, specs: SpecTexts = {}): Promise<void> {
  const paths = generationPaths(dir);
  for (let waited = 0; isSwapping(paths) && waited < patience; waited += settleRetryMs) {
    if (await hasFinished(paths, specs)) return;
    await pause(settleRetryMs);
  }
}

function isSwapping(paths: GenerationPaths): boolean {
  try {
    return isSwapOpen(paths);
  } catch {
    return false; // A swap that cannot be checked cannot be completed either.
  }
}

/**
 * Whether a skill's code is generated or missing. Code without specs was written by hand and must not be
 * replaced.
 */
function isGenerated({ bundle }: GenerationPaths, specs: SpecTexts): boolean {
  return readSpecs(bundle, specs) !== undefined || !existsSync(join(bundle, 'src'));
}

/** Completes or discards a swap, if possible. Returns false if another process holds the lock. */
async function hasFinished(paths: GenerationPaths, specs: SpecTexts): Promise<boolean> {
  try {
    using lock = tryFileLock(paths.lock);
    if (lock === undefined) return false;
    if (isGenerated(paths, specs)) finishSwap(paths);
    else rmSync(paths.journal, { recursive: true, force: true });
    return true;
  } catch {
    return true; // The swap failed and changed nothing. If the code is damaged, reading it reports the error.
  }
}
