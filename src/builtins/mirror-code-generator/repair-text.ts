import { printFault, type Fault } from './fault.ts';
import { fenced } from './fenced.ts';
import { languageOf } from './language-of.ts';

/** Asks for better files; `now` are those that are not as the conversation left them. */
export function buildRepairText(faults: readonly Fault[], now: ReadonlyMap<string, string>): string {
  const shown = [...now].map(
    ([target, text]) => `src/${target} is now:\n\n${fenced(text, languageOf(target).word)}`,
  );
  return [
    'That cannot be used yet. This is what is wrong:',
    fenced(faults.map(printFault).join('\n')),
    ...shown,
    'Answer with the whole corrected files, in the same form, and with nothing else. Leave out files that stay as they are.',
  ].join('\n\n');
}
