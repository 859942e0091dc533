/** The files of a new code skill: a typed contract and code written by hand. */
export function template(name: string): Readonly<Record<string, string>> {
  return {
    'cskill.md': `# ${name}

## Description

Says what this code does and when to use it.

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
