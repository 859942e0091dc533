import { optional } from '../core/collections.ts';
import type { RunResult } from '../core/run.ts';
import type { Mismatch } from './mismatch.ts';
import type { Trial } from './trial.ts';

/** The next step for whoever did not expect that a case would end so. */
export function hintFor(
  { question, error }: RunResult,
  { model }: Pick<Trial, 'model'>,
): Pick<Mismatch, 'hint'> {
  if (error?.code === 'model.unavailable' && model === undefined)
    return { hint: "Give the case a model, as in model: { script: ['What it says.'] }." };
  if (error?.code === 'model.unavailable' && model !== undefined && 'recording' in model)
    return { hint: 'What is asked has changed since. Record it anew: `skilled test --record`' };
  if (question === undefined) return optional('hint', error?.hint);
  const { asks } = question;
  if (asks === undefined) return { hint: 'Give an answer under "answers", or expect status: waiting.' };
  const once = '`skilled test --yes`';
  if (asks.rule.startsWith('Trust('))
    return {
      hint: `Trust it with \`skilled trust grant ${asks.skill}\`, or allow it this once with ${once}.`,
    };
  const isForPeople = asks.each === true || asks.pin !== undefined;
  if (isForPeople) return { hint: `Only a person can allow that: ${once}` };
  return { hint: `Allow it in the case, as in approve: ['${asks.rule}'], or this once: ${once}` };
}
