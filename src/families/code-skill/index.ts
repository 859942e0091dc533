import { defineFamily } from '../../core/family.ts';
import type { CodeSkillDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { parse } from './parse.ts';
import { template } from './template.ts';

/** Skills that are code, written by hand or generated from specifications. */
export const codeSkill = defineFamily<CodeSkillDefinition>({
  id: 'code-skill',
  aliases: ['cskill'],
  descriptor: { file: 'cskill.md' },
  label: 'Code Skill',
  runsCode: () => true,
  template,
  parse,
  execute,
});
