import { relative } from 'node:path';
import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { placeOfTrials } from '../../../evals/find-evals.ts';
import type { Invocation } from '../../command.ts';
import { pasteable } from '../../output/pasteable.ts';
import { oneLine } from '../../output/text.ts';
import { shellWord } from '../../shell-word.ts';
import { textFlag } from '../../text-flag.ts';
import { skillsToTest } from './collect-trials.ts';

/** What is said where nothing is to be run, with the next step. */
export function noTrials(agent: RecursiveSkilledAgent, { words, own, flags, terminal }: Invocation): string {
  const filter = textFlag(own, 'filter');
  if (filter !== undefined) return `There is no case with "${oneLine(filter)}" in its name.\n`;
  const [skill] = skillsToTest(agent, words);
  if (skill === undefined || skill.dir === '')
    return 'There are no skills with files here, so there are no cases.\n';
  const file = relative(flags.cwd, placeOfTrials(skill)) || placeOfTrials(skill);
  const example = `\`skilled test --example ${shellWord(skill.name)}\`\n`;
  return pasteable(`There are no cases yet. Write a first one into ${oneLine(file)}: ${example}`, terminal);
}
