import type { CandidatesRanked } from '../core/routing-event.ts';
import type { Execution } from './execution.ts';

/** How the log says that skills were ranked for the prompt of a run; undefined before they are. */
export function rankedIn(
  { journal }: Execution,
  among: CandidatesRanked['among'],
): CandidatesRanked | undefined {
  const isMeant = (event: CandidatesRanked): boolean => event.among === among;
  return journal.events.find((event) => event.type === 'candidates.ranked' && isMeant(event)) as
    CandidatesRanked | undefined;
}
