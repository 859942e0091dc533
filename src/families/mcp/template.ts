/** The files of a new MCP skill. */
export function template(name: string): Readonly<Record<string, string>> {
  return {
    'mskill.md': `# ${name}

## Description

Says what this skill does with the tools of its server and when to use it.

## Instructions

Write how the tools are to be used.

## Allowed Tools

- files.list_directory
- files.read_file

## Servers

\`\`\`json
{ "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } }
\`\`\`
`,
  };
}
