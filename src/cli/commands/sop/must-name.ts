import { AgentError } from '../../../core/error.ts';

/** The first of the files that a command line names; `usage.bad-input` when it names none. */
export function mustName([first = '']: readonly string[], action: string): string {
  if (first !== '') return first;
  throw new AgentError('usage.bad-input', 'Name the file of a plan.', {
    hint: `Write \`skilled sop ${action} <file>\`; - is stdin.`,
  });
}

/** Like `mustName`, for what is done with one file at a time. */
export function mustNameOne(words: readonly string[], action: string): string {
  const extra = words[1];
  if (extra === undefined) return mustName(words, action);
  throw new AgentError('usage.bad-input', `"${extra}" is one word too many.`, {
    hint:
      action === 'run'
        ? 'An input has a flag: `skilled sop run <file> --input <text>`'
        : `Write \`skilled sop ${action} <file>\`.`,
  });
}
