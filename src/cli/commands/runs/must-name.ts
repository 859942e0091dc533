import { AgentError } from '../../../core/error.ts';
import { runWord } from '../../find-run.ts';

/** The first of the runs that a command line names; `usage.bad-input` when it names none. */
export function mustName(words: readonly string[], action: string): string {
  return runWord(words, `Write \`skilled runs ${action} <run>\`.`);
}

/** Like `mustName`, for what is done with one run at a time. */
export function mustNameOne(words: readonly string[], action: string): string {
  const extra = words[1];
  if (extra === undefined) return mustName(words, action);
  throw new AgentError('usage.bad-input', `"${extra}" is one word too many.`, {
    hint: `Write \`skilled runs ${action} <run>\`.`,
  });
}
