import { defineFamily } from '../../core/family.ts';
import { configure } from './configure.ts';
import type { SubagentDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { parse } from './parse.ts';
import { template } from './template.ts';

/** Agents with a prompt, tools and skills of their own, one Markdown file each. */
export const subagent = defineFamily<SubagentDefinition>({
  id: 'subagent',
  descriptor: { folder: 'agents' },
  label: 'Subagent',
  purpose: 'is an agent with a prompt and tools of its own',
  firstWords: 'What is this project about?',
  template,
  parse,
  configure,
  execute,
});
