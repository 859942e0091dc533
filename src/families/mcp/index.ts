import { defineFamily } from '../../core/index.ts';
import { parse, type McpDefinition } from './parse.ts';
import { permission } from './permission.ts';

/**
 * Returns the files of a new MCP skill. Without edits, the skill can read the project's files once its server
 * is installed.
 */
function template(name: string): Readonly<Record<string, string>> {
  return {
    'mskill.md': `# ${name}

## Description

Answers questions about the files of this project. Describe here what it does with its tools and when to use it.

## Instructions

List a folder before you read from it, and name the files used for the answer.

## Allowed Tools

- files.list_directory
- files.read_text_file
- files.search_files

## Servers

Install the server in the project: npm install --save-dev @modelcontextprotocol/server-filesystem

\`\`\`json
{
  "files": {
    "command": "npx",
    "args": ["-y", "@modelcontextprotocol/server-filesystem", "."],
    "workspace": "read"
  }
}
\`\`\`
`,
  };
}

/** The family of skills that use the tools of MCP servers. */
export const mcp = defineFamily<McpDefinition>({
  id: 'mcp',
  descriptor: { file: 'mskill.md' },
  label: 'MCP',
  provides: true,
  parse,
  execute: async (definition, input, scope) =>
    (await import('./execute.ts')).execute(definition, input, scope),
  authoring: {
    purpose: 'uses the tools of MCP servers',
    examplePrompt: 'What is this project about?',
    template,
  },
  permission: { runsCode: () => true, describe: permission },
});
