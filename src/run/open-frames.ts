import type { ErrorData } from '../core/error.ts';
import { failedOutput } from './clean.ts';
import type { Frame } from './frame.ts';
import type { Addition } from './journal.ts';
import type { RunState } from './state.ts';

/** Why a frame ended that did not reach its own end. */
export const callerEnded: ErrorData = { code: 'usage.cancelled', message: 'Its caller ended before it.' };

/**
 * The ends of all frames below one that are open, the deepest first: those at work here, and those of the log that were
 * not entered again. Nobody else writes them from here on.
 */
export function endsBelow(state: RunState, frame: Frame, error: ErrorData): readonly Addition[] {
  const here = frame.open.filter((below) => below !== frame);
  const written = new Set(here.filter(({ isEnded }) => isEnded).map(({ id }) => id));
  const depths = new Map([
    ...state.openBelow(frame.id).map(({ id, started }) => [id, started.depth] as const),
    ...here.map(({ id, depth }) => [id, depth] as const),
  ]);
  for (const below of here) below.isEnded = true;
  const output = failedOutput(error);
  return [...depths]
    .filter(([id]) => !written.has(id))
    .sort(([, one], [, other]) => other - one)
    .map(([frameId]) => ({ frameId, body: { type: 'frame.ended', output } }));
}
