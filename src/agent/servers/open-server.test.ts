import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done, flowFamily, flowsIn, flowText } from '../../../test/support/kernel.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { defaultPorts } from '../../config/defaults.ts';
import type { Grant, Sandbox } from '../../core/sandbox.ts';
import type {
  ServerDescription,
  ServerEndpoint,
  StdioServer,
  ToolServer,
} from '../../core/servers/tool-server.ts';
import type { SkillEntry } from '../../skills/eligibility/skill-settings.ts';
import type { AgentOptions } from '../options.ts';
import { BareAgent } from '../recursive-skilled-agent.ts';

type Stdio = ServerEndpoint & { kind: 'stdio' };
type Http = ServerEndpoint & { kind: 'http' };

const environment = {
  PATH: '/usr/bin',
  LANG: 'C',
  PLANTED: 'not-granted',
  MY_TOKEN: 't0ken-of-mine',
  BLANK: ' ',
};
const stdio: StdioServer = { kind: 'stdio', name: 's', command: 'program', args: [], env: {} };
const http = { kind: 'http', name: 's', url: 'https://example.org/mcp', headers: {} } as const;

interface Asked {
  readonly which?: string | ServerDescription;
  readonly known?: readonly ServerDescription[];
  readonly entry?: SkillEntry;
  readonly options?: AgentOptions;
  readonly contains?: boolean;
  readonly runsOwnCode?: boolean;
  readonly home?: string;
  /** The path of the program. */
  readonly program?: string;
}

interface Answer {
  readonly endpoint?: ServerEndpoint;
  readonly grant?: Grant;
  readonly fault?: string;
}

/** Opens a server for the skill "x" in a workspace. Resolves to the program and the grant. */
async function ask(files: Tree, asked: Asked): Promise<Answer> {
  const answer: { -readonly [Key in keyof Answer]: Answer[Key] } = {};
  const family = flowFamily({
    async execute(_definition, _input, scope) {
      await scope.resources.server(asked.which ?? 's');
      if (answer.endpoint?.kind === 'stdio')
        await answer.endpoint.openSandbox([asked.program ?? '/opt/program']);
      return done();
    },
    permission: {
      runsCode: () => true,
      describe: () => (asked.runsOwnCode === true ? { runsOwnCode: true } : {}),
    },
  });
  const ports = {
    ...defaultPorts(environment),
    home: asked.home ?? '/home/me',
    openServer: (found: ServerEndpoint) => {
      answer.endpoint = found;
      return Promise.resolve({ close: () => Promise.resolve() } as ToolServer);
    },
  };
  const options = {
    ...flowsIn(files.path, family),
    embeddings: false,
    mcpServers: asked.known ?? [],
    settings: { skills: { entries: { x: asked.entry ?? {} } } },
    sandboxes: {
      contains: () => Promise.resolve(asked.contains ?? true),
      open: (given: Grant) => {
        answer.grant = given;
        return Promise.resolve({} as Sandbox);
      },
    },
    ...asked.options,
  };
  const agent = new BareAgent(options, ports);
  const result = await agent.run({ skill: 'x', input: {} }).result;
  await agent.shutdown();
  if (result.error !== undefined) answer.fault = `${result.error.code} ${result.error.message}`;
  return answer;
}

const flow = { 'skills/x/FLOW.md': flowText('x', 'x') };

describe('a server that is started here', () => {
  test('gets the usual variables and its own, its program, and nothing else', async () => {
    using files = tree(flow);
    const { endpoint, grant } = await ask(files, {
      known: [{ ...stdio, args: ['${PLANTED}'], env: { MODE: 'quiet', KEY: { env: 'MY_TOKEN' } } }],
      entry: { hosts: ['example.org'], read: ['/srv'], workspace: 'write', env: { LEVEL: '1' } },
    });
    const { command, args, folder, near, path, timeoutMs } = endpoint as Stdio;
    assert.deepEqual(
      { command, args, near, path, timeoutMs },
      {
        command: 'program',
        args: ['${PLANTED}'],
        near: [files.path],
        path: '/usr/bin',
        timeoutMs: 60_000,
      },
    );
    assert.equal(folder, undefined);
    assert.deepEqual(grant?.read, ['/opt/program']);
    assert.deepEqual(grant.write, []);
    assert.deepEqual(grant.hosts, []);
    assert.deepEqual(grant.environment, {
      PATH: '/usr/bin',
      LANG: 'C',
      MODE: 'quiet',
      KEY: 't0ken-of-mine',
      AI_AGENT: 'skilled',
    });
  });

  test('gets what its entry grants, but changes no skill and nothing that decides about it', async () => {
    using files = tree(flow);
    const requested = { workspace: 'write', hosts: ['api.example.org'], read: ['~/notes'] } as const;
    const { endpoint, grant } = await ask(files, { known: [{ ...stdio, ...requested, timeoutSeconds: 5 }] });
    assert.equal((endpoint as Stdio).folder, files.path);
    assert.equal(endpoint?.timeoutMs, 5000);
    assert.deepEqual(grant?.read, ['/home/me/notes', '/opt/program']);
    assert.deepEqual(grant.write, [files.path]);
    assert.deepEqual(grant.hosts, ['api.example.org']);
    assert.equal(grant.environment['SKILLED_PROJECT_DIR'], files.path);
    for (const path of [files.at('.skilled'), files.at('skills')])
      assert.ok(grant.readOnly?.includes(path), path);
  });

  test('described by a skill gets what that was granted, and its variables alone', async () => {
    using files = tree(flow);
    const described = { ...stdio, command: './bin/program', args: ['${LEVEL}', '${MORE:-none}', '$HOME'] };
    const { endpoint, grant } = await ask(files, {
      which: { ...described, env: { KEY: '${API_TOKEN}', ROOT: '${SKILLED_SKILL_DIR}/a' } },
      entry: { hosts: ['example.org'], read: ['/srv'], env: { LEVEL: '1', API_TOKEN: { env: 'MY_TOKEN' } } },
    });
    const { command, args, folder, near } = endpoint as Stdio;
    const own = files.at('skills/x');
    assert.deepEqual(
      { command, args, folder, near },
      {
        command: `${own}/bin/program`,
        args: ['1', 'none', '$HOME'],
        folder: own,
        near: [own, files.path],
      },
    );
    assert.deepEqual(grant?.read, [own, '/srv', '/opt/program']);
    assert.deepEqual(grant.hosts, ['example.org']);
    const { KEY, ROOT, API_TOKEN, PLANTED, MY_TOKEN } = grant.environment;
    assert.deepEqual([KEY, ROOT, API_TOKEN], ['t0ken-of-mine', `${own}/a`, 't0ken-of-mine']);
    assert.deepEqual([PLANTED, MY_TOKEN], [undefined, undefined]);
  });

  test('described by a skill of the user is not looked for in the project', async () => {
    using files = tree({ 'project/a.txt': '', 'home/.skilled/skills/x/FLOW.md': flowText('x', 'x') });
    const options = { userRoots: true, startDir: files.at('project') };
    const { endpoint } = await ask(files, { which: stdio, options, home: files.at('home') });
    assert.deepEqual((endpoint as Stdio).near, [files.at('home/.skilled/skills/x')]);
  });

  test('does not read the workspace because its program is there', async () => {
    using files = tree({ ...flow, 'program/a.txt': '' });
    const askWithProgramIn = (folder: string, more: Partial<StdioServer> = {}): Promise<Answer> =>
      ask(files, { which: { ...stdio, ...more }, program: folder });
    assert.match(
      (await askWithProgramIn(files.path)).fault ?? '',
      /^usage\.bad-settings .* read the whole workspace\.$/,
    );
    assert.equal((await askWithProgramIn(files.path, { workspace: 'read' })).fault, undefined);
    assert.equal((await askWithProgramIn(files.at('program'))).fault, undefined);
  });

  test('of a .mcp.json file has the variables of the host in its texts', async () => {
    using files = tree(flow);
    const { endpoint, grant } = await ask(files, {
      known: [{ ...stdio, expands: true, near: ['/project'], args: ['${MY_TOKEN}'], env: { A: 'x${LANG}' } }],
    });
    assert.deepEqual((endpoint as Stdio).args, ['t0ken-of-mine']);
    assert.deepEqual((endpoint as Stdio).near, ['/project']);
    assert.equal(grant?.environment['A'], 'xC');
  });

  const refused: readonly [what: string, asked: Asked, fault: RegExp][] = [
    [
      'is not known',
      { which: 'other', known: [stdio] },
      /^usage.bad-settings There is no server "other"\. Configured servers: s\.$/,
    ],
    [
      'is named almost so',
      { which: 'filles', known: [{ ...stdio, name: 'files' }] },
      /Did you mean "files"\?$/,
    ],
    ['is not there at all', {}, /No servers are configured\.$/],
    [
      'needs a variable that is not set',
      { known: [{ ...stdio, env: { A: { env: 'GONE' } } }] },
      /variable GONE, which is not set/,
    ],
    [
      'needs a variable that is blank',
      { known: [{ ...stdio, expands: true, args: ['${BLANK}'] }] },
      /BLANK, which is not set/,
    ],
    [
      'wants a variable of the host',
      { which: { ...stdio, args: ['${PLANTED}'] } },
      /PLANTED, which is not given to "x"/,
    ],
    [
      'wants one that is taken from one that is not set',
      { which: { ...stdio, args: ['${KEY}'] }, entry: { env: { KEY: { env: 'GONE' } } } },
      /KEY, which is taken from GONE, which is not set/,
    ],
    [
      'wants one by reference',
      { which: { ...stdio, env: { A: { env: 'PLANTED' } } } },
      /PLANTED, which is not given to "x"/,
    ],
    [
      'preloads a library',
      { which: { ...stdio, env: { LD_PRELOAD: 'x.so' } } },
      /^usage.bad-settings .* sets LD_PRELOAD/,
    ],
    ['changes node', { known: [{ ...stdio, env: { NODE_OPTIONS: '-r x' } }] }, /sets NODE_OPTIONS/],
    ['has a NUL character', { known: [{ ...stdio, env: { A: 'a\0b' } }] }, /NUL/],
    [
      'is not contained',
      { known: [stdio], contains: false },
      /^sandbox.unavailable .* for the server "s"\.$/,
    ],
  ];
  for (const [what, asked, fault] of refused) {
    test(`is refused where it ${what}`, async () => {
      using files = tree(flow);
      assert.match((await ask(files, asked)).fault ?? '', fault);
    });
  }

  test('runs uncontained for a skill whose every call a person allows', async () => {
    using files = tree(flow);
    const { fault, grant } = await ask(files, { known: [stdio], contains: false, runsOwnCode: true });
    assert.equal(fault, undefined);
    assert.notEqual(grant, undefined);
  });
});

describe('a server over HTTP', () => {
  test('gets its headers and its token, and how it gets another one', async () => {
    using files = tree(flow);
    const { endpoint } = await ask(files, {
      known: [{ ...http, headers: { 'X-Team': 'docs', authorization: 'no' }, bearer: { env: 'MY_TOKEN' } }],
    });
    assert.deepEqual((endpoint as Http).headers, { 'X-Team': 'docs', Authorization: 'Bearer t0ken-of-mine' });
    const issuer = 'https://login.example.org';
    const oauth = { clientId: 'me', issuer, clientSecret: { env: 'MY_TOKEN' }, scope: 'tools' };
    const other = await ask(files, { known: [{ ...http, oauth }] });
    assert.deepEqual((other.endpoint as Http).oauth, { ...oauth, clientSecret: 't0ken-of-mine' });
  });

  const open = 'http://example.org/mcp';
  const cases: readonly [what: string, server: ServerDescription, fault: RegExp | undefined][] = [
    ['an open line', { ...http, url: open }, undefined],
    [
      'an open line for a token',
      { ...http, url: open, bearer: 'x' },
      /"s" would receive credentials over an unencrypted connection/,
    ],
    [
      'an open line for a header',
      { ...http, url: open, headers: { Cookie: 'a=b' } },
      /unencrypted connection/,
    ],
    [
      'an open line for a variable',
      { ...http, url: open, headers: { A: { env: 'LANG' } } },
      /unencrypted connection/,
    ],
    ['this machine', { ...http, url: 'http://127.0.0.1:80/mcp', bearer: 'x' }, undefined],
    ['localhost', { ...http, url: 'http://localhost/mcp', bearer: 'x' }, undefined],
    [
      'a name like localhost',
      { ...http, url: 'http://localhost.example.org', bearer: 'x' },
      /unencrypted connection/,
    ],
    [
      'a variable for its address',
      { ...http, expands: true, url: '${LANG}/mcp' },
      /does not use http or https/,
    ],
    ['two lines in a header', { ...http, headers: { A: 'b\r\nC: d' } }, /the header "A" that cannot be sent/],
  ];
  for (const [what, server, fault] of cases) {
    test(`with ${what} is ${fault === undefined ? 'reached' : 'refused'}`, async () => {
      using files = tree(flow);
      const answer = await ask(files, { known: [server] });
      if (fault === undefined) assert.equal(answer.fault, undefined);
      else assert.match(answer.fault ?? '', fault);
    });
  }
});
