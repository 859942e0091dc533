import type { BuiltinSkill, DefinedSkill } from '../core/index.ts';
import { bashKill, bashOutput } from './background.ts';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { mirrorCodeGenerator } from './mirror-code-generator/index.ts';
import { read } from './read.ts';
import { askUser, findSkills, runSopSkill } from './scope-skills.ts';
import { todo } from './todo.ts';
import { webfetch } from './webfetch/index.ts';
import { write } from './write.ts';

/**
 * The built-in skills in registration order. The code generator is first because it prepares other skills.
 */
export const builtinSkills: readonly BuiltinSkill[] = [
  mirrorCodeGenerator,
  keep(read),
  write,
  edit,
  keep(glob),
  keep(grep),
  bash,
  bashOutput,
  bashKill,
  webfetch,
  keep(askUser),
  todo,
  keep(findSkills, 'search'),
  runSopSkill,
].map((skill) => ({ ...skill, textIsComplete: true }));

/** Marks a skill as offered to models even if the host does not expose the package's own skills. */
function keep(skill: DefinedSkill, staysOffered: BuiltinSkill['staysOffered'] = 'always'): BuiltinSkill {
  return { ...skill, staysOffered };
}
