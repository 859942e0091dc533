import { defineFamily } from '../../core/index.ts';
import { configure } from './configure.ts';
import { parse } from './parse.ts';
import type { SubagentDefinition } from './settings.ts';

/** Returns a new subagent's file, with its path relative to the agents folder. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    [`${name}.md`]: `---
name: ${name}
description: Describe what this subagent is good at and when to give it a task.
tools: read, grep, glob
---

You are a specialist. Describe here how you work and what you answer.
`,
  };
}

/** The family of agents with their own prompt, tools and skills. Each agent is one Markdown file. */
export const subagent = defineFamily<SubagentDefinition>({
  id: 'subagent',
  descriptor: { folder: 'agents', alsoIn: ['.agents'] },
  label: 'Subagent',
  parse,
  configure,
  execute: async (definition, input, scope) =>
    (await import('./execute.ts')).execute(definition, input, scope),
  authoring: {
    purpose: 'is an agent with its own prompt and tools',
    examplePrompt: 'What is this project about?',
    template,
  },
});
