import { defineFamily } from '../../core/family.ts';
import { accept } from './accept.ts';
import { adopt } from './adopt.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { hook } from './hook.ts';
import { lintStandard } from './lint.ts';
import { load } from './load.ts';
import { parse } from './parse.ts';
import { renderSkill } from './render-skill.ts';
import { runsCode } from './runs-code.ts';
import { template } from './template.ts';

/** Skills of the open Agent Skills standard, with the Claude Code fields. */
export const agentSkill = defineFamily<AgentSkillDefinition>({
  id: 'agent-skill',
  aliases: ['anthropic'],
  descriptor: { file: 'SKILL.md', loose: true },
  label: 'Agent Skill',
  purpose: 'gives instructions to a model: the Agent Skills standard',
  firstWords: 'What is this project about?',
  runsCode,
  template,
  parse,
  adopt,
  lint: lintStandard,
  accept,
  render: renderSkill,
  load,
  hook,
  execute,
});
