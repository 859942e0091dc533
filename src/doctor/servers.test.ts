import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Examined } from './report.ts';
import { checkServers } from './servers.ts';

test('the tools of a server are named, so that users need not guess them', () => {
  const known = (name: string, toolNames: readonly string[]): Examined['servers']['servers'][number] => ({
    name,
    file: '.mcp.json',
    place: `npx ${name}`,
    tools: toolNames.length,
    toolNames,
  });
  const many = Array.from({ length: 23 }, (_, index) => `tool-${index}`);
  const servers = [known('one', ['read']), known('many', many), known('none', [])];
  const { details } = checkServers({ servers: { servers, unused: [] } } as unknown as Examined);
  assert.deepEqual(details, [
    'one (npx one, from .mcp.json): 1 tool: read',
    `many (npx many, from .mcp.json): 23 tools: ${many.slice(0, 20).join(', ')}, and 3 more`,
    'none (npx none, from .mcp.json): no tools',
  ]);
});
