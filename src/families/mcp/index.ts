import { defineFamily } from '../../core/index.ts';
import { execute } from './execute.ts';
import { parse, type McpDefinition } from './parse.ts';
import { permission } from './permission.ts';

/** The files of a new MCP skill; it reads files of a project as it stands, once its server is installed. */
function template(name: string): Readonly<Record<string, string>> {
  return {
    'mskill.md': `# ${name}

## Description

Answers questions about the files of this project. Say here what it does with its tools and when to use it.

## Instructions

List a folder before you read from it, and name the files that the answer comes from.

## Allowed Tools

- files.list_directory
- files.read_text_file
- files.search_files

## Servers

The server is found in the project: npm install --save-dev @modelcontextprotocol/server-filesystem

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

/** Skills that use the tools of MCP servers. */
export const mcp = defineFamily<McpDefinition>({
  id: 'mcp',
  descriptor: { file: 'mskill.md' },
  label: 'MCP',
  provides: true,
  parse,
  execute,
  authoring: {
    purpose: 'uses the tools of MCP servers',
    firstWords: 'What is this project about?',
    template,
  },
  permission: { runsCode: () => true, describe: permission },
});
