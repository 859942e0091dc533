import { AgentError, reasonOf } from '../../core/error.ts';

/** What a database refuses a change for: a value that must be the only one of its kind, or anything else. */
export type Refused = 'unique' | 'other';

/** A change that the database itself refuses, as nothing that is wrong with the database. */
export function buildRefusal(refused: Refused, thrown: unknown, named: string): AgentError {
  return new AgentError('usage.bad-input', `The ${named} refused a change: ${reasonOf(thrown)}.`, {
    hint:
      refused === 'unique'
        ? 'Give another value, or change the record that has it already.'
        : 'Give values that the database takes; its own rules are those of its tables.',
    details: { refused },
    cause: thrown,
  });
}
