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

/** The internal skills in the order of their registration; the generator is first because others are prepared by it. */
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
];
