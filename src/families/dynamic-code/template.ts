/** The files of a new dynamic code skill. */
export function template(name: string): Readonly<Record<string, string>> {
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
