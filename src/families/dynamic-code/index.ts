import { defineFamily } from '../../core/index.ts';
import { execute } from './execute.ts';
import { parse, type DynamicCodeDefinition } from './parse.ts';

/** The files of a new dynamic code skill. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    'dcgskill.md': `# ${name}

## Description

Says what this skill computes and when to use it.

## Prompt

Write how the input is to be turned into an answer, or into code that computes it.

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

/** Skills whose code is written by a model for each call. */
export const dynamicCode = defineFamily<DynamicCodeDefinition>({
  id: 'dynamic-code',
  aliases: ['dynamic-code-generation'],
  descriptor: { file: 'dcgskill.md' },
  label: 'Dynamic Code',
  parse,
  execute,
  authoring: {
    purpose: 'has code written for each call',
    firstWords: 'the sum of the first ten primes',
    template,
  },
  input: { defaultArgument: 'input' },
  permission: { runsCode: () => true },
});
