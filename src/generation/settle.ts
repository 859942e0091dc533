import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tryLock } from './generation-lock.ts';
import { placeOf, type GenerationPlace } from './generation-place.ts';
import { readSpecs, type SpecTexts } from './read-specs.ts';
import { finishSwap, isSwapOpen } from './swap.ts';

const rhythm = 10; // milliseconds between two looks
const patience = 10_000; // milliseconds

/** Finishes what a process that was killed left half done, before the code of a skill is looked at; does nothing otherwise. `specs` are those that lie in no file. Never throws. */
export async function settleGeneration(dir: string, specs: SpecTexts = {}): Promise<void> {
  const place = placeOf(dir);
  for (let waited = 0; isSwapping(place) && waited < patience; waited += rhythm) {
    if (await hasFinished(place, specs)) return;
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
