import { join } from 'node:path';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { CommonFlags } from './command.ts';
import { oneLine } from './output/text.ts';

/** How to make a first skill, in lines; for whoever has none. */
export function firstStep(agent: RecursiveSkilledAgent, flags: CommonFlags): readonly string[] {
  const descriptor = agent.families
    .map((family) => family.descriptor)
    .find((one) => one !== undefined && 'file' in one);
  const file = descriptor !== undefined && 'file' in descriptor ? descriptor.file : '';
  const folder = flags.skills[0] ?? join(flags.cwd, '.agents', 'skills');
  return [
    'There are no skills of your own here yet. To make the first one, write',
    `  ${oneLine(join(folder, 'hello', file))}`,
    'with a name and a description between two --- lines, and what to do below them.',
  ];
}
