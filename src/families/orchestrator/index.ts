import { defineFamily } from '../../core/index.ts';
import { createAssistant } from './create-assistant.ts';
import { parse, type OrchestratorDefinition } from './parse.ts';

/** Returns the files of a new orchestrator. Without edits, it answers questions about project files. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    'oskill.md': `# ${name}

## Description

Answers questions about the files of this project. Describe here what it achieves and when to use it.

## Instructions

Find the relevant files first, read only those, and name them in the answer.

## Session

loop

## Allowed Skills

- glob
- grep
- read
`,
  };
}

/** The family of skills that achieve a goal by calling other skills, in a loop or with a plan. */
export const orchestrator = defineFamily<OrchestratorDefinition>({
  id: 'orchestrator',
  descriptor: { file: 'oskill.md' },
  label: 'Orchestrator',
  parse,
  execute: async (definition, input, scope) =>
    (await import('./execute.ts')).execute(definition, input, scope),
  authoring: {
    purpose: 'reaches a goal through other skills',
    examplePrompt: 'What is this project about?',
    template,
  },
  prompts: { assistant: createAssistant },
});
