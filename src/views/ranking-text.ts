import type { CandidatesRanked, RoutingCandidate } from '../core/routing-event.ts';

/** Which skills were weighed for a prompt, how each did and whether one applies, in sentences. Pure. */
export function rankingText(ranked: CandidatesRanked): string {
  const { candidates, omitted, threshold, by, abstained } = ranked;
  const kind = kinds[ranked.among];
  if (candidates.length === 0)
    return omitted === 0 ? `There are no ${kind}.` : `Of the ${kind} (${omitted}) none has to do with it.`;
  const more = omitted === 0 ? '' : `, and ${omitted} more`;
  const measure = by === 'words' ? 'words' : 'words and meaning';
  const none = abstained ? '; none does' : '';
  return `Of the ${kind}, by ${measure}: ${candidates.map(candidateText).join(', ')}${more}. One applies from ${scoreText(threshold)} on${none}.`;
}

const kinds = { routers: 'skills that hand prompts on', workers: 'skills that do the work' } as const;

/** A skill, how sure it is, and the words that speak for it. */
function candidateText({ skill, score, words }: RoutingCandidate): string {
  return `"${skill}" ${scoreText(score)}${words.length === 0 ? '' : ` (${words.join(', ')})`}`;
}

function scoreText(score: number): string {
  return score.toFixed(2);
}
