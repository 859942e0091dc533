import type { DefinedSkill } from '../core/index.ts';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { mirrorCodeGenerator } from './mirror-code-generator/index.ts';
import { read } from './read.ts';
import { askUser, findSkills, runSopSkill } from './scope-skills.ts';
import { webfetch } from './webfetch/index.ts';
import { write } from './write.ts';

/**
 * The built-in skills, in registration order. The code generator comes first because it prepares other
 * skills.
 */
export const builtinSkills: readonly DefinedSkill[] = [
  mirrorCodeGenerator,
  read,
  write,
  edit,
  glob,
  grep,
  bash,
  webfetch,
  askUser,
  findSkills,
  runSopSkill,
].map((skill) => ({ ...skill, textIsComplete: true }));
