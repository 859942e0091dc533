import { oneLine } from '../../output/text.ts';
import type { Focus } from './focus.ts';

type Callers = Pick<Focus, 'callers' | 'others'>;

const mostNamed = 20;
const mostOthers = 5;

/** Who may call a skill, in sentences: who names it, and who may call it as one of many. */
export function callerSentences({ callers, others }: Callers): readonly string[] {
  if (callers.length + others.length === 0) return ['No skill may call it.'];
  const number = others.length.toLocaleString('en');
  const unnamed = `${number}${callers.length === 0 ? '' : ' more'} may call it without naming it`;
  return [
    callers.length === 0 ? 'No skill names it.' : `Called by ${firstOf(callers, mostNamed)}.`,
    ...(others.length === 0 ? [] : [`${unnamed}: ${firstOf(others, mostOthers)}.`]),
  ];
}

/** The same in a few words. */
export function callerText({ callers, others }: Callers): string {
  const number = others.length.toLocaleString('en');
  if (callers.length === 0) return others.length === 0 ? 'no skill' : `${number} without naming it`;
  const named = firstOf(callers, mostOthers);
  return others.length === 0 ? named : `${named}; ${number} without naming it`;
}

/** The first of some names and how many more there are. */
export function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map(oneLine).join(', ');
  const more = names.length - most;
  return more > 0 ? `${shown} and ${more.toLocaleString('en')} more` : shown;
}
