import { defineFamily, type AssistantRequest } from '../../core/index.ts';
import { execute } from './execute.ts';
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

/**
 * Creates the assistant: an orchestrator for one prompt that prefers the listed skills. Its instructions tell
 * it to say so if no skill is suitable.
 */
function createAssistant({ skills, session }: AssistantRequest): OrchestratorDefinition {
  return { description, instructions, session, bestFirst: skills.map(({ name }) => name) };
}

const description = 'You carry out any request with the available skills. No skill has been chosen yet.';

const instructions = `Use the skills whose descriptions fit the request. Use as few skills as possible, and answer from their results.
Do not call a skill just to call one. If none fits, say clearly that no available skill does this, name the closest one, and do not make up a result.
Do not call a skill for anything that the conversation already answers.`;

/** The family of skills that achieve a goal by calling other skills, in a loop or with a plan. */
export const orchestrator = defineFamily<OrchestratorDefinition>({
  id: 'orchestrator',
  descriptor: { file: 'oskill.md' },
  label: 'Orchestrator',
  parse,
  execute,
  authoring: {
    purpose: 'reaches a goal through other skills',
    examplePrompt: 'What is this project about?',
    template,
  },
  prompts: { assistant: createAssistant },
});
