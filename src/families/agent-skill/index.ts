import { defineFamily } from '../../core/index.ts';
import { accept } from './accept.ts';
import { lintStandard } from './lint.ts';
import { adopt, parse, type AgentSkillDefinition } from './parse.ts';
import { hasCommands, renderSkill } from './render/render-skill.ts';

/** Returns the files of a new skill, keyed by file name. */
function template(name: string): Readonly<Record<string, string>> {
  // YAML would parse an unquoted `null` as a missing value.
  const written = /^null$/i.test(name) ? `"${name}"` : name;
  return {
    'SKILL.md': `---
name: ${written}
description: Describe what this skill does and when to use it.
---

# ${name}

Write the steps that the model should follow. The request:

$ARGUMENTS
`,
  };
}

/** Whether a skill has hooks or contains commands in its text. */
export function runsCode({
  body,
  hooks,
  pluginHooks,
}: Pick<AgentSkillDefinition, 'body' | 'hooks' | 'pluginHooks'>): boolean {
  return hooks !== undefined || pluginHooks !== undefined || hasCommands(body());
}

/** The skill family for the open Agent Skills standard, including the Claude Code fields. */
export const agentSkill = defineFamily<AgentSkillDefinition>({
  id: 'agent-skill',
  aliases: ['anthropic'],
  descriptor: { file: 'SKILL.md', loose: true, commands: { folder: 'commands', within: ['.claude'] } },
  label: 'Agent Skill',
  parse,
  adopt,
  execute: async (definition, input, scope) =>
    (await import('./execute.ts')).execute(definition, input, scope),
  authoring: {
    purpose: 'gives instructions to a model: the Agent Skills standard',
    examplePrompt: 'What is this project about?',
    template,
    lint: lintStandard,
  },
  input: { accept },
  permission: { runsCode },
  text: {
    render: renderSkill,
    load: async (definition, input, scope) => (await import('./load.ts')).load(definition, input, scope),
    hook: async (definition, input, scope) => (await import('./run-hooks.ts')).hook(definition, input, scope),
  },
});
