import { defineFamily } from '../../core/index.ts';
import { parse, type DynamicCodeDefinition } from './parse.ts';

/** Returns the files of a new dynamic code skill. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    'dcgskill.md': `# ${name}

## Description

Describe what this skill computes and when to use it.

## Prompt

Describe how to turn the input into an answer, or into code that computes it.

## Argument

\`\`\`json
{
  "type": "object",
  "properties": { "input": { "type": "string", "description": "What is asked." } },
  "required": ["input"]
}
\`\`\`

## Tier

code
`,
  };
}

/** The family of skills whose code is written by a model for each call. */
export const dynamicCode = defineFamily<DynamicCodeDefinition>({
  id: 'dynamic-code',
  aliases: ['dynamic-code-generation'],
  descriptor: { file: 'dcgskill.md' },
  label: 'Dynamic Code',
  parse,
  execute: async (definition, input, scope) =>
    (await import('./execute.ts')).execute(definition, input, scope),
  authoring: {
    purpose: 'has a model write code for each call',
    examplePrompt: 'the sum of the first ten primes',
    template,
  },
  input: { defaultArgument: 'input' },
  permission: { runsCode: () => true },
});
