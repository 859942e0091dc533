import { defineFamily } from '../../core/index.ts';
import { configure } from './configure.ts';
import { execute } from './execute.ts';
import { parse } from './parse.ts';
import type { SubagentDefinition } from './settings.ts';

/** The file of a new subagent, relative to an agents folder. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    [`${name}.md`]: `---
name: ${name}
description: Says what this subagent is good at and when to hand it a task.
tools: read, grep, glob
---

You are a specialist. Write here how you work and what you answer with.
`,
  };
}

/** Agents with a prompt, tools and skills of their own, one Markdown file each. */
export const subagent = defineFamily<SubagentDefinition>({
  id: 'subagent',
  descriptor: { folder: 'agents' },
  label: 'Subagent',
  parse,
  configure,
  execute,
  authoring: {
    purpose: 'is an agent with a prompt and tools of its own',
    firstWords: 'What is this project about?',
    template,
  },
});
