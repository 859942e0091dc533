import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { agentWith, done, yesPolicy } from '../../test/support/kernel.ts';
import { packageFolder } from '../../test/support/tool-server-stage.ts';
import { tree } from '../../test/support/tree.ts';
import { defaultPorts } from '../config/defaults.ts';
import { reportServers } from '../config/servers/report.ts';
import { defineSkill } from '../core/define-skill.ts';
import type { RunEvent } from '../core/event.ts';
import type { ServerDescription } from '../core/servers/tool-server.ts';
import { BareAgent } from './recursive-skilled-agent.ts';
import { serverSecrets } from './redaction.ts';

describe('the secrets of servers', () => {
  const given = { A: 'value-of-a', B: 'value-of-b', HOME: '/home/me', LANG: 'C.UTF-8' };
  const stdio = { kind: 'stdio', name: 's', command: 'x', args: [], env: {} } as const;
  const http = { kind: 'http', name: 's', url: 'https://example.org', headers: {} } as const;
  const cases: readonly [what: string, server: ServerDescription, secrets: readonly string[]][] = [
    ['variables by reference', { ...stdio, env: { X: { env: 'A' } } }, ['value-of-a']],
    ['texts under a telling name', { ...stdio, env: { API_KEY: 'plain-key', MODE: 'quiet' } }, ['plain-key']],
    [
      'variables in the texts of a .mcp.json',
      { ...stdio, expands: true, args: ['${A}', '${HOME}/x'], env: { X: 'p ${B}' } },
      ['value-of-a', 'value-of-b'],
    ],
    ['no variables in other texts', { ...stdio, args: ['${A}'] }, []],
    ['tokens', { ...http, bearer: 'plain-token' }, ['plain-token']],
    [
      'headers that say who asks',
      { ...http, headers: { Authorization: 'Bearer abc-def', 'X-Team': 'docs' } },
      ['Bearer abc-def', 'abc-def'],
    ],
    [
      'clients',
      {
        ...http,
        oauth: {
          clientId: 'me',
          issuer: 'https://login.example.org',
          clientSecret: { env: 'A' },
          refreshToken: 'refresh',
        },
      },
      ['value-of-a', 'refresh'],
    ],
  ];
  for (const [what, server, secrets] of cases) {
    test(`are ${what}`, () => {
      assert.deepEqual(serverSecrets([server], given), secrets);
    });
  }
});

test('what a server echoes of its secrets is nowhere: not in the result, an event, a file or a question', async () => {
  using files = tree({ 'work/a.txt': '' });
  const environment = { ...process.env, ODD_NAME: 'first-hidden-value' };
  const server: ServerDescription = {
    kind: 'stdio',
    name: 'all',
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-everything'],
    env: { ONE: { env: 'ODD_NAME' }, SERVICE_TOKEN: 'second-hidden-value', MODE: 'shown-value' },
    near: [packageFolder],
  };
  const agent = new BareAgent(
    {
      startDir: files.at('work'),
      store: files.at('runs.db'),
      embeddings: false,
      policy: yesPolicy,
      mcpServers: [server],
      models: { model: () => undefined },
    },
    defaultPorts(environment),
  );
  agent.skills.register(
    defineSkill({
      name: 'echo',
      description: 'Asks a server for its variables.',
      async run(_input, scope) {
        const all = await scope.resources.server('all');
        const request = { signal: scope.signal };
        const tool = (await all.tools(request)).find(({ name }) => name === 'get-env');
        assert.ok(tool !== undefined);
        const { content } = await all.call(tool, {}, request);
        const [first] = content;
        const text = first?.kind === 'text' ? first.text : '';
        assert.match(text, /first-hidden-value/);
        assert.match(text, /second-hidden-value/);
        scope.note(text);
        await scope.step('kept', () => text);
        return done(text, { text });
      },
    }),
  );
  const handle = agent.run({ skill: 'echo', input: {} });
  const events: RunEvent[] = [];
  for await (const event of handle.events) events.push(event);
  const result = await handle.result;
  await agent.shutdown();
  const stored = readdirSync(files.path)
    .filter((name) => name.startsWith('runs.db'))
    .map((name) => readFileSync(files.at(name), 'latin1'));
  assert.ok(stored.length > 0);
  const texts = [JSON.stringify(result), JSON.stringify(events), ...stored];
  assert.equal(result.status, 'done', JSON.stringify(result.error));
  for (const text of texts) assert.doesNotMatch(text, /hidden-value/);
  assert.match(JSON.stringify(result), /shown-value/);
});

test('an address that answers with the token that it got is an error without it', async () => {
  const listening = createServer((request, response) => {
    response.writeHead(500).end(`no: ${JSON.stringify(request.headers)}`);
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`;
  const agent = agentWith(
    {
      ask: async (_input, scope) => {
        const server = await scope.resources.server('web');
        await server.tools({ signal: scope.signal });
        return done();
      },
    },
    { mcpServers: [{ kind: 'http', name: 'web', url, headers: {}, bearer: 'third-hidden-value' }] },
  );
  const result = await agent.run({ skill: 'ask', input: {} }).result;
  await agent.shutdown();
  listening.closeAllConnections();
  listening.close();
  assert.equal(result.status, 'failed');
  assert.match(result.error?.code ?? '', /^server\./);
  assert.doesNotMatch(JSON.stringify(result), /hidden-value/);
});

test(
  'what a server prints of its secrets is in no finding, and not in the report on servers',
  { skip: withoutBubblewrap },
  async () => {
    const leak = `process.stderr.write('the token is ' + process.env.ONE + '\\n'); process.exit(3);`;
    const env = { ONE: { env: 'ODD_NAME' } };
    const server = { command: 'node', args: ['-e', leak], env, skills: true };
    using files = tree({
      'work/.git/HEAD': '',
      'home/.skilled/settings.json': JSON.stringify({ mcpServers: { leaky: server } }),
    });
    const environment = {
      HOME: files.at('home'),
      PATH: '/usr/bin:/bin',
      ODD_NAME: 'fourth-hidden-value',
    };
    const [startDir, cache] = [files.at('work'), files.at('cache')];
    await using agent = new BareAgent({ startDir, cache, settings: true }, defaultPorts(environment));
    await agent.ready();
    const { servers } = await reportServers(agent.skills, startDir, { environment });
    const said = [...agent.skills.diagnostics(), ...servers.flatMap(({ fault }) => fault ?? [])];
    assert.deepEqual(
      said.map(({ message }) => message.replace(/^.*exit code 3/, '')),
      [': the token is [redacted]', ': the token is [redacted]'],
    );
  },
);
