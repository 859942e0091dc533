import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tryLock } from './generation-lock.ts';
import { placeOf, type GenerationPlace } from './generation-place.ts';
import { readSpecs } from './read-specs.ts';
import { finishSwap, isSwapOpen } from './swap.ts';

const rhythm = 10; // milliseconds between two looks
const patience = 10_000; // milliseconds

/** Finishes what a process that was killed left half done, before the code of a skill is looked at; does nothing otherwise. Never throws. */
export async function settleGeneration(dir: string): Promise<void> {
  const place = placeOf(dir);
  for (let waited = 0; isSwapping(place) && waited < patience; waited += rhythm) {
    if (await hasFinished(place)) return;
    await pause(rhythm);
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
function isMade({ bundle }: GenerationPlace): boolean {
  return readSpecs(bundle) !== undefined || !existsSync(join(bundle, 'src'));
}

/** Whether nothing is left to do, or nothing can be done. */
async function hasFinished(place: GenerationPlace): Promise<boolean> {
  try {
    using lock = await tryLock(place);
    if (lock === undefined) return false;
    if (isMade(place)) finishSwap(place);
    else rmSync(place.journal, { recursive: true, force: true });
    return true;
  } catch {
    return true; // then the code is taken as it is, and who reads it says what is missing
  }
}
