import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { familyOf } from '../core/family.ts';
import type { Json } from '../core/json.ts';
import type { Skill } from '../core/skill.ts';
import type { Command, Invocation } from './command.ts';
import { commonFlagNames } from './flags.ts';
import { skillInput } from './skill-input.ts';
import { textFlag } from './text-flag.ts';

/** The input that a command line gives to a skill: words, JSON, and the flags that are not the command's own. */
export async function givenInput(
  agent: RecursiveSkilledAgent,
  skill: Skill,
  words: readonly string[],
  { flags, own, given, options }: Invocation & Required<Pick<Command, 'options'>>,
): Promise<Json | undefined> {
  const family = familyOf(agent.families, skill);
  const said = {
    words,
    given,
    json: textFlag(own, 'args-json'),
    known: [...commonFlagNames, ...Object.keys(options)],
    keepsWords: family?.render !== undefined,
    readsWords: family?.readsWords === true,
  };
  return skillInput(skill, family?.defaultArgument, said, flags);
}
