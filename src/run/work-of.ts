import { AgentError } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import type { CallOptions } from '../core/scope.ts';
import type { Entrance } from '../core/wanted.ts';
import type { Target } from './target.ts';

/** What a family does when one of its skills is called. */
export type Work = Family['execute'];

/** The work behind a way into a skill; throws `usage.bad-input` where its family has no such way. */
export function workOf(
  { family, skill }: Target,
  { through, leaveOnly }: Pick<CallOptions, 'through' | 'leaveOnly'>,
): Work {
  if (leaveOnly === true) return () => Promise.resolve({ status: 'done', text: 'It may be done.' });
  if (through === undefined) return (ready, input, scope) => family.execute(ready, input, scope);
  const ways = new Map<Entrance, Work | undefined>([
    ['load', family.load],
    ['hook', family.hook],
    ['build', family.build],
  ]);
  const work = ways.get(through)?.bind(family);
  if (work !== undefined) return work;
  const fault = through === 'build' ? 'is not made of anything' : `has no text to ${through}`;
  throw new AgentError('usage.bad-input', `"${skill.name}" ${fault}.`, { hint: 'Call it instead.' });
}
