import { join } from 'node:path';
import { AgentError } from '../../core/error.ts';
import type { EntryFault } from './find-entry.ts';

/** Why the module of a skill cannot be run. */
export function entryFault(dir: string, path: string, fault: EntryFault): AgentError {
  const file = join(dir, path);
  if (fault === 'outside') {
    return new AgentError('skill.invalid', `${file} leads out of the folder of the skill.`, {
      hint: 'Put the file itself there instead of a link.',
    });
  }
  return new AgentError('skill.invalid', `${file} cannot be run: Node strips no types below node_modules.`, {
    hint: 'Ship src/index.js or .mjs with the package, or put the skill elsewhere.',
  });
}

/** What is said of a folder without any. */
export function noEntry(dir: string): AgentError {
  const where = dir === '' ? 'the skill' : dir;
  return new AgentError('skill.invalid', `There is no src/index.ts, .mts, .mjs or .js in ${where}.`, {
    hint: 'Write one that exports the function action(input, scope), or describe it in specs/index.md.',
  });
}
