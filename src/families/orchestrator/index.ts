import { defineFamily, type AssistantRequest } from '../../core/index.ts';
import { execute } from './execute.ts';
import { parse, type OrchestratorDefinition } from './parse.ts';

/** The files of a new orchestrator; it answers questions about the files of a project as it stands. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    'oskill.md': `# ${name}

## Description

Answers questions about the files of this project. Say here what it achieves and when to use it.

## Instructions

Find the files that matter first, read only those, and name them in the answer.

## Session

loop

## Allowed Skills

- glob
- grep
- read
`,
  };
}

/** An orchestrator for one prompt over the skills that there are; it is told to say so when none of them fits. */
function createAssistant({ skills, session }: AssistantRequest): OrchestratorDefinition {
  return { description, instructions, session, bestFirst: skills.map(({ name }) => name) };
}

const description = 'You carry out whatever is asked with the skills at hand, none of which is chosen yet.';

const instructions = `Use the skills whose descriptions fit the request, as few as will do, and answer from what they came to.
Call no skill only to call one. If none fits, say plainly that no skill here does this, name the nearest, and make up no result.
What the conversation before it already answers needs no skill.`;

/** Skills that reach a goal by calling other skills, in a loop or by a plan. */
export const orchestrator = defineFamily<OrchestratorDefinition>({
  id: 'orchestrator',
  descriptor: { file: 'oskill.md' },
  label: 'Orchestrator',
  parse,
  execute,
  authoring: {
    purpose: 'reaches a goal through other skills',
    firstWords: 'What is this project about?',
    template,
  },
  prompts: { assistant: createAssistant },
});
