import { defineFamily } from '../../core/index.ts';
import { accept } from './accept.ts';
import { build, inspect, isDue, prepare } from './generation.ts';
import { parse, type CodeSkillDefinition, type PreparedCodeSkill } from './parse.ts';

/** Returns the files of a new code skill: a typed contract and handwritten code. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    'cskill.md': `# ${name}

## Description

Describe what this code does and when to use it.

## Input Format

\`\`\`json
{
  "type": "object",
  "properties": { "text": { "type": "string", "description": "What to work on." } },
  "required": ["text"]
}
\`\`\`

## Output Format

\`\`\`json
{ "type": "string" }
\`\`\`
`,
    'src/index.ts': `export async function action(input: { text: string }): Promise<string> {
  return input.text;
}
`,
  };
}

/** The family of skills that consist of code, either handwritten or generated from specifications. */
export const codeSkill = defineFamily<CodeSkillDefinition, PreparedCodeSkill>({
  id: 'code-skill',
  aliases: ['cskill'],
  descriptor: { file: 'cskill.md' },
  label: 'Code Skill',
  parse,
  execute: async (definition, input, scope) =>
    (await import('./execute.ts')).execute(definition, input, scope),
  authoring: {
    purpose: 'is code, handwritten or generated from specifications',
    examplePrompt: 'Hello',
    template,
  },
  input: { acceptsText: true, accept },
  permission: { runsCode: () => true, describe: () => ({ runsOwnCode: true }) },
  generation: { prepare, isEarly: () => true, isDue, inspect, build },
});
