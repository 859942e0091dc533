import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith } from '../../test/support/kernel.ts';
import type { ServerDescription } from '../core/servers/tool-server.ts';

test('a rule that is none is refused, from options and from settings that code gives', () => {
  for (const rule of ['Bash (rm *)', 'Bash(rm *', 'Bash()', '', 'Skill("x"); Bash', 7] as string[]) {
    for (const kind of ['allow', 'ask', 'deny'] as const) {
      const permissions = { [kind]: ['Read', rule] };
      assert.throws(() => agentWith({}, { permissions }), { code: 'usage.bad-input' }, `${kind} ${rule}`);
      assert.throws(() => agentWith({}, { settings: { permissions } }), { code: 'usage.bad-input' }, rule);
    }
  }
});

test('rules are taken with room around them', () => {
  assert.ok(agentWith({}, { permissions: { deny: [' Bash(rm *) ', 'Skill(Some Name)', 'mcp__server__*'] } }));
});

const named = (name: string): ServerDescription => ({ kind: 'stdio', name, command: 'x', args: [], env: {} });

test('servers of the options have names by which they can be distinguished', () => {
  for (const names of [['a b'], ['a__b'], ['a', 'b', 'a']])
    assert.throws(() => agentWith({}, { mcpServers: names.map(named) }), { code: 'usage.bad-input' });
});

test('what describes no server is said, with the form of one', () => {
  const wrong: readonly unknown[] = [
    { files: { command: 'x', args: [] } },
    [{ name: 'a', command: 'x', args: [], env: {} }],
    [named('a'), { kind: 'stdio', name: 'b', command: 'x' }],
    [{ kind: 'http', name: 'b', url: 'https://example.com' }],
    [null],
  ];
  for (const mcpServers of wrong as readonly (readonly ServerDescription[])[])
    assert.throws(() => agentWith({}, { mcpServers }), {
      code: 'usage.bad-input',
      hint: /kind: 'stdio', name/,
    });
});

test('a server of the options goes before one of the settings, and that is said', async () => {
  const agent = agentWith({}, { mcpServers: [named('a')], settings: { servers: [named('a'), named('b')] } });
  await agent.ready();
  const found = agent.skills.diagnostics().filter(({ code }) => code === 'server.duplicate');
  await agent.shutdown();
  assert.deepEqual(
    found.map(({ message }) => message),
    ['The server "a" is configured twice; the one in the options is used.'],
  );
});
