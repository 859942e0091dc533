import type { Json } from '../../../core/json.ts';
import { optional } from '../../../core/collections.ts';
import type { CommandCall } from '../command.ts';
import { answerName, type Work } from './work.ts';

/** Where calls are made. */
export interface CallPlace {
  /** The number of the plan, by handle. */
  readonly number: number;
  /** Taken out when it is given. */
  readonly answers: Map<string, Json>;
}

/** The call of a command; its key has what names have no place for before its colon. */
export function callOf(
  work: Work,
  { number, answers }: CallPlace,
  ways: Pick<CommandCall, 'signal' | 'waits'>,
): CommandCall {
  const { step, index, bound } = work;
  const answer = answers.get(answerName(work));
  answers.delete(answerName(work));
  return {
    command: step.command,
    variable: step.name,
    ...optional('index', index),
    ...bound,
    line: step.place.line,
    ...optional('comment', step.comment),
    ...optional('answer', answer),
    key: index === undefined ? `p${number}:${step.name}` : `p${number}[${index}]:${step.name}`,
    ...ways,
  };
}
