import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { withoutBubblewrap } from '../../../../test/support/bubblewrap.ts';
import { codeSkillFiles } from '../../../../test/support/code-skill-stage.ts';
import { call, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { startCommand } from '../../../../test/support/command-process.ts';
import { settled, until } from '../../../../test/support/kernel.ts';
import { newClient } from '../../../../test/support/mcp-clients.ts';
import { mcpEnvironment, startMcp } from '../../../../test/support/mcp-process.ts';
import { installedMain } from '../../../../test/support/installed.ts';
import { processesWith } from '../../../../test/support/processes-with.ts';
import { oskillText } from '../../../../test/support/orchestrator-stage.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { openHistory } from '../../runs/run-store.ts';

leaveHome();

const number = { type: 'number' };
const numbers = { type: 'object', properties: { one: number, other: number }, required: ['one', 'other'] };
const sum = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

function project(): Tree {
  return tree({
    'work/.git/HEAD': '',
    'work/kept/keep.txt': '',
    ...codeSkillFiles({
      adds: {
        input: numbers,
        output: sum,
        code: 'export function action({ one, other }) { console.log("I print"); return { sum: one + other }; }',
      },
      waits: {
        code: 'export async function action() { await new Promise((end) => setTimeout(end, 600_000)); }',
      },
    }),
    'skills/totals/oskill.md': oskillText('totals', {
      'Allowed Skills': '- adds\n- ask-user',
      Script: '```sop\n@a adds one=2 other=3\n@b final_answer $a\n```',
    }),
    'skills/asks/oskill.md': oskillText('asks', {
      'Allowed Skills': '- ask-user',
      Script: '```sop\n@a ask-user "Which way?"\n@b final_answer $a\n```',
    }),
    'skills/guide/SKILL.md': skillText('guide'),
  });
}

let files: Tree;
before(() => (files = project()));
after(() => files[Symbol.dispose]());

const args = (): string[] => ['--skills', files.at('skills'), '--cwd', files.at('work'), '--offline'];
const store = (): string => files.at('work/.skilled/skilled.db');

function textOf(result: unknown): string {
  const { content } = result as { content: readonly { text?: string }[] };
  return content.map(({ text = '' }) => text).join('\n');
}

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

describe('skilled mcp', () => {
  test('serves the official client over stdio, and keeps runs', { skip: withoutBubblewrap }, async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [installedMain, 'mcp', ...args()],
      env: mcpEnvironment(files.path),
      stderr: 'pipe',
    });
    const client = newClient('2025-11-25', () => ({ action: 'accept', content: { answer: 'left' } }));
    await client.connect(transport);
    try {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      for (const name of ['adds', 'asks', 'guide', 'totals']) assert.ok(names.includes(name), name);
      assert.ok(!names.includes('bash') && !names.includes('ask-user'));
      const nested = await client.callTool({ name: 'totals', arguments: { input: '' } });
      assert.match(textOf(nested), /"sum": 5/);
      assert.equal(textOf(await client.callTool({ name: 'asks', arguments: { input: '' } })), 'left');
      const added = await client.callTool({ name: 'adds', arguments: { one: 1, other: 2 } });
      assert.deepEqual(added.structuredContent, { sum: 3 });
      const run = (added._meta as Record<string, string>)['skilled/run'] ?? '';
      const traced = await call(['trace', run, '--cwd', files.at('work')]);
      assert.match(traced.out, /adds/);
      const loadable = new SkillsClient(client);
      const { skills } = await loadable.list();
      const guide = skills.find(({ uri }) => uri === 'skill://guide/SKILL.md');
      assert.ok(guide !== undefined, JSON.stringify(skills));
      const file = await loadable.read(guide);
      assert.deepEqual([file.verified, 'text' in file && file.text], [true, skillText('guide')]);
      const stop = new AbortController();
      const waiting = client.callTool({ name: 'waits', arguments: { input: '' } }, { signal: stop.signal });
      await until(() => processesWith(files.at('skills/waits')).length > 0);
      stop.abort('enough');
      await assert.rejects(settled(waiting));
      await using history = openHistory(store());
      await until(async () => (await history.runs.list())[0]?.status === 'cancelled');
    } finally {
      await client.close();
    }
  });

  test('has nothing but protocol on stdout, whatever comes in, and ends with its input', async () => {
    await using server = startMcp([...args(), '--tools', 'adds'], files.path);
    for (const garbage of ['garbage', '{}', '[1, 2]', '{"jsonrpc":"2.0","id":7}', '\u0000\u0001'])
      server.send(garbage);
    server.send(hello);
    await server.waitForMessage(({ id }) => id === 1);
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const params = { name: 'adds', arguments: { one: 1, other: 2 } };
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    await server.waitForMessage(({ id }) => id === 2);
    server.child.stdin.end();
    assert.equal(await settled(server.ended), 0);
    for (const line of server.lines) assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, '2.0');
    assert.match(server.err(), /^serving over stdio: 1 tool, 0 loadable skills$/m);
  });

  test(
    'a client that is killed leaves no process, and its run is cancelled',
    { skip: withoutBubblewrap },
    async () => {
      await using server = startMcp([...args(), '--tools', 'waits'], files.path);
      server.send(hello);
      await server.waitForMessage(({ id }) => id === 1);
      server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const params = { name: 'waits', arguments: { input: '' }, _meta: { progressToken: 'p' } };
      server.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
      await server.waitForMessage(({ method }) => method === 'notifications/progress');
      await until(() => processesWith(files.at('skills/waits')).length > 0);
      for (const stream of [server.child.stdin, server.child.stdout, server.child.stderr]) stream.destroy();
      await settled(server.ended);
      await until(() => processesWith(files.at('skills/waits')).length === 0);
      await using history = openHistory(store());
      assert.equal((await history.runs.list())[0]?.status, 'cancelled');
    },
  );

  test('a signal while a client is asked ends it quietly, and the run is cancelled', async () => {
    await using server = startMcp([...args(), '--tools', 'asks'], files.path);
    server.send({ ...hello, params: { ...hello.params, capabilities: { elicitation: {} } } });
    await server.waitForMessage(({ id }) => id === 1);
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const params = { name: 'asks', arguments: { input: '' } };
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    await server.waitForMessage(({ method }) => method === 'elicitation/create');
    server.child.kill('SIGTERM');
    assert.equal(await settled(server.ended), 0, server.err());
    await using history = openHistory(store());
    assert.equal((await history.runs.list())[0]?.status, 'cancelled');
  });

  test('serves over HTTP until it is stopped, and tells the token once', async () => {
    const flags = ['mcp', ...args(), '--http', '--port', '0', '--tools', 'guide'];
    const server = startCommand(flags, { env: mcpEnvironment(files.path) });
    let output = '';
    server.child.stderr?.on('data', (text: string) => (output += text));
    await server.printed('token for this session: ');
    await until(() => /token for this session: \S+ /.test(output));
    const url = /serving at (\S+): 1 tool/.exec(output)?.[1] ?? '';
    const token = /token for this session: (\S+)/.exec(output)?.[1] ?? '';
    const client = newClient('2026-07-28');
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['guide'],
    );
    server.child.kill('SIGTERM');
    assert.equal((await settled(server.ended)).code, 0);
    await client.close();
    await assert.rejects(fetch(url));
  });

  test('refuses flags that mean nothing, and hosts without a token', async () => {
    const table: readonly [readonly string[], string][] = [
      [['--port', '80'], '--port needs --http.'],
      [['--http', '--port', 'x'], '--port must be a whole number of at least 0, not "x".'],
      [['--http', '--port', '70000'], '70000 is not a valid port.'],
      [['--http', '--host', '0.0.0.0'], '--host 0.0.0.0 needs a token.'],
      [['--tools', 'nothing-like-it'], 'There is no skill "nothing-like-it".'],
    ];
    for (const [flags, message] of table) {
      const ended = await call(['mcp', ...args(), '--json', ...flags]);
      assert.equal(errorIn(ended).message, message);
    }
  });
});
