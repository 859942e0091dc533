import { defineFamily } from '../../core/family.ts';
import type { McpDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { parse } from './parse.ts';
import { permission } from './permission.ts';
import { template } from './template.ts';

/** Skills that use the tools of MCP servers. */
export const mcp = defineFamily<McpDefinition>({
  id: 'mcp',
  descriptor: { file: 'mskill.md' },
  label: 'MCP',
  purpose: 'uses the tools of MCP servers',
  firstWords: 'What is this project about?',
  provides: true,
  runsCode: () => true,
  permission,
  template,
  parse,
  execute,
});
