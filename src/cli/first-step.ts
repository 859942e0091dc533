import { join } from 'node:path';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { CommonFlags } from './command.ts';
import { shortWord } from './find-family.ts';
import { oneLine } from './output/text.ts';

/** How to make a first skill, in lines; for whoever has none. */
export function firstStep(agent: RecursiveSkilledAgent, flags: CommonFlags): readonly string[] {
  const none = 'There are no skills of your own here yet. To make the first one';
  const [folder] = flags.skills;
  for (const family of agent.families) {
    const { descriptor } = family;
    if (descriptor === undefined || !('file' in descriptor)) continue;
    if (folder === undefined) return [`${none}: \`skilled new ${shortWord(family)} hello\``];
    return [
      `${none}, write`,
      `  ${oneLine(join(folder, 'hello', descriptor.file))}`,
      'with a name and a description between two --- lines, and what to do below them.',
    ];
  }
  return [];
}
