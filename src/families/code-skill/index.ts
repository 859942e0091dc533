import { defineFamily } from '../../core/family.ts';
import { accept } from './accept.ts';
import { build } from './build.ts';
import type { CodeSkillDefinition, PreparedCodeSkill } from './definition.ts';
import { execute } from './execute.ts';
import { inspect } from './inspect.ts';
import { isDue } from './is-due.ts';
import { parse } from './parse.ts';
import { prepare } from './prepare.ts';
import { template } from './template.ts';

/** Skills that are code, written by hand or generated from specifications. */
export const codeSkill = defineFamily<CodeSkillDefinition, PreparedCodeSkill>({
  id: 'code-skill',
  aliases: ['cskill'],
  descriptor: { file: 'cskill.md' },
  readsWords: true,
  label: 'Code Skill',
  purpose: 'is code, written by hand or from specifications',
  firstWords: 'Hello',
  runsCode: () => true,
  permission: () => ({ runsOwnCode: true }),
  template,
  parse,
  accept,
  prepare,
  preparesEarly: () => true,
  isDue,
  inspect,
  build,
  execute,
});
