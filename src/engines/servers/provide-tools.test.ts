import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { ProvidedSkill, Scope } from '../../core/scope.ts';
import type { Artifact } from '../../core/event-types.ts';
import type {
  ServerDescription,
  ToolDefinition,
  ToolResult,
  ToolServer,
} from '../../core/servers/tool-server.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { provideTools, type ToolSelection } from './provide-tools.ts';

const noFeatures = { resources: false, prompts: false, skills: false };
const text = (said: string): ToolResult => ({ content: [{ kind: 'text', text: said }], isError: false });

function tool(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: `Does ${name}.`, input: { type: 'object' }, hash: `sha256:${name}`, ...more };
}

function server(name: string, tools: readonly ToolDefinition[], more: Partial<ToolServer> = {}): ToolServer {
  return {
    name,
    endpoint: `run ${name}`,
    features: () => Promise.resolve(noFeatures),
    tools: () => Promise.resolve(tools),
    complaints: () => [],
    call: ({ name: called }, input) => Promise.resolve(text(`${called} ${JSON.stringify(input)}`)),
    resources: () => Promise.resolve([{ uri: 'note://1', name: 'One' }]),
    readResource: (uri) => Promise.resolve(text(`read ${uri}`)),
    prompts: () => Promise.resolve([{ name: 'greet', arguments: [{ name: 'who', required: true }] }]),
    getPrompt: (prompt, values) => Promise.resolve(text(`user: ${prompt} ${values['who'] ?? ''}`)),
    close: () => Promise.resolve(),
    ...more,
  };
}

function unreachable(name: string): ToolServer {
  const fault = new AgentError('server.unreachable', `The server "${name}" cannot be reached.`);
  return server(name, [], { tools: () => Promise.reject(fault) });
}

interface Stage {
  readonly scope: Scope;
  readonly provided: ProvidedSkill[];
  readonly notes: string[];
  readonly artifacts: Artifact[];
  /** The names of the opened servers. */
  readonly opened: string[];
  call(name: string, input?: Json): Promise<Output>;
}

function stage(servers: readonly ToolServer[]): Stage {
  const [provided, notes, artifacts, opened] = [[], [], [], []] as [
    ProvidedSkill[],
    string[],
    Artifact[],
    string[],
  ];
  const scope = createTestScope({
    skill: { name: 'desk' },
    note: (message) => void notes.push(message),
    artifact: (artifact) => void artifacts.push(artifact),
    server: (which: string | ServerDescription) => {
      const name = typeof which === 'string' ? which : which.name;
      opened.push(name);
      const found = servers.find((one) => one.name === name);
      if (found !== undefined) return Promise.resolve(found);
      return Promise.reject(new AgentError('usage.bad-settings', `There is no server "${name}".`));
    },
    provide: (skills) => {
      provided.push(...skills);
      return [];
    },
  });
  const call = async (name: string, input: Json = {}): Promise<Output> => {
    const found = provided.find((skill) => skill.name === name);
    assert.ok(found !== undefined, `${name} is not provided`);
    return found.run(input, scope);
  };
  return { scope, provided, notes, artifacts, opened, call };
}

async function provide(
  servers: readonly ToolServer[],
  selection: Partial<ToolSelection> = {},
): Promise<Stage> {
  const on = stage(servers);
  await provideTools(on.scope, { servers: servers.map(({ name }) => name), ...selection });
  return on;
}

const namesOf = ({ provided }: Stage): readonly string[] => provided.map(({ name }) => name);

describe('tools of servers as skills', () => {
  const files = server('files', [tool('read'), tool('Read'), tool('write')]);
  const web = server('web', [tool('read'), tool('files.read')]);

  test('are all of them without a list, by server and in exact case', async () => {
    const on = await provide([files, web]);
    assert.deepEqual(namesOf(on), ['files.read', 'files.Read', 'files.write', 'web.read', 'web.files.read']);
    const [first] = on.provided;
    assert.equal(first?.card.label, 'mcp__files__read');
    assert.equal(first?.permission.label, 'mcp__files__read');
    assert.equal(first?.permission.readOnly, undefined);
    assert.equal(first?.source, 'mcp');
    assert.equal(first?.digest, 'sha256:read');
    assert.equal(first?.permission.pin?.hash, 'sha256:read');
    assert.equal(first?.permission.pin?.name, 'files.read');
    const keys = on.provided.map(({ permission }) => permission.pin?.key);
    assert.equal(new Set(keys).size, keys.length, 'no tool is pinned as another one');
  });

  for (const [list, names] of [
    [['files.read'], ['files.read']],
    [['files.*'], ['files.read', 'files.Read', 'files.write']],
    [['read'], ['files.read', 'web.read']],
    [['mcp__files__write'], ['files.write']],
    [['mcp:web'], ['web.read', 'web.files.read']],
    [['web.files.read'], ['web.files.read']],
    [['*'], ['files.read', 'files.Read', 'files.write', 'web.read', 'web.files.read']],
    [[], []],
    [['Files.read', 'files .read', ''], []],
  ] as const) {
    test(`are ${names.length} of them with the list ${JSON.stringify(list)}`, async () => {
      assert.deepEqual(namesOf(await provide([files, web], { allowed: list })), names);
    });
  }

  test('of a server of which nothing is allowed are not asked for', async () => {
    assert.deepEqual((await provide([files, web], { allowed: ['web.read'] })).opened, ['web']);
    assert.deepEqual((await provide([files, web], { allowed: [] })).opened, []);
  });

  test('that are allowed and not there are noted, with what is near', async () => {
    const { notes } = await provide([files], { allowed: ['files.raed', 'files.write', 'other.read', 'x.*'] });
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', /^"desk" .*"files\.raed".* "files\.Read" or "files\.read"\?$/);
  });

  test('whose names no rule could mean, or that come twice, are left out', async () => {
    const odd = server('odd', [tool('a b'), tool('a(b)'), tool('*'), tool('a/b'), tool('ok'), tool('ok')]);
    assert.deepEqual(namesOf(await provide([odd])), ['odd.ok']);
  });

  test('are described by the server in words that hide nothing and do not continue forever', async () => {
    const odd = server('odd', [
      tool('a', { description: 'Reads\u202e\u200b it.' }),
      tool('b', { description: 'x'.repeat(5_000) }),
      tool('c', { description: '', title: 'Gets' }),
      tool('d', { description: ' ' }),
    ]);
    const [a, b, c, d] = (await provide([odd])).provided.map(({ card }) => card.description);
    assert.equal(a, 'Reads it.');
    assert.equal(b?.length, 2_000);
    assert.equal(c, 'Gets');
    assert.equal(d, 'A tool of the server "odd".');
  });

  test('keep a schema that cannot be read here as the names of its members', async () => {
    const input = { type: 'object', properties: { a: { $ref: 'https://example.com/x' } }, required: ['a'] };
    const on = await provide([server('odd', [tool('a', { input })])]);
    assert.deepEqual(on.provided[0]?.card.input, { type: 'object', properties: { a: {} }, required: ['a'] });
  });
});

describe('a server that cannot be reached', () => {
  const files = server('files', [tool('read')]);

  test('is an error where it is the only one, or none is left', async () => {
    await assert.rejects(provide([unreachable('down')]), { code: 'server.unreachable' });
    await assert.rejects(provide([unreachable('down'), unreachable('off')]), { code: 'server.unreachable' });
    await assert.rejects(provide([], { servers: ['nobody'] }), { code: 'usage.bad-settings' });
  });

  test('is an error where its tools are named', async () => {
    const providing = provide([files, unreachable('down')], { allowed: ['read', 'down.x'] });
    await assert.rejects(providing, { message: 'The server "down" cannot be reached.' });
  });

  test('is noted where others are there', async () => {
    const on = await provide([files, unreachable('down')]);
    assert.deepEqual(namesOf(on), ['files.read']);
    assert.deepEqual(on.notes, [
      '"desk" continues without the server "down": The server "down" cannot be reached.',
    ]);
  });
});

describe('resources and prompts', () => {
  const features = { resources: true, prompts: true, skills: false };
  const rich = (tools: readonly ToolDefinition[]): ToolServer =>
    server('rich', tools, { features: () => Promise.resolve(features) });

  test('can be listed and read where the server has them, under the same list', async () => {
    const all = ['rich.list-resources', 'rich.read-resource', 'rich.list-prompts', 'rich.get-prompt'];
    const on = await provide([rich([])]);
    assert.deepEqual(namesOf(on), all);
    assert.deepEqual(await on.call('rich.list-resources'), {
      status: 'done',
      text: '{"uri":"note://1","name":"One"}',
      value: [{ uri: 'note://1', name: 'One' }],
    });
    assert.equal((await on.call('rich.read-resource', { uri: 'note://1' })).text, 'read note://1');
    assert.match((await on.call('rich.list-prompts')).text, /"greet".*"who"/);
    const greeting = await on.call('rich.get-prompt', { name: 'greet', arguments: { who: 'Ann' } });
    assert.equal(greeting.text, 'user: greet Ann');
    assert.deepEqual(namesOf(await provide([rich([])], { allowed: ['rich.read-resource'] })), [all[1]]);
    assert.equal(on.provided[1]?.permission.label, 'mcp__rich__read-resource');
  });

  test('are listed as far as there is room, and the rest is counted', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({
      uri: `note://${index}`,
      name: 'One',
      description: 'x'.repeat(1000),
    }));
    const on = await provide([{ ...rich([]), resources: () => Promise.resolve(many) }]);
    const output = await on.call('rich.list-resources');
    assert.ok(JSON.stringify(output).length < 1_000_000);
    assert.match(output.text, /bytes of the answer are left out/);
  });

  test('leave their names to tools that have them', async () => {
    const on = await provide([rich([tool('read-resource')])]);
    assert.equal(namesOf(on).filter((name) => name === 'rich.read-resource').length, 1);
    assert.match((await on.call('rich.read-resource', { uri: 'x' })).text, /^read-resource \{/);
  });
});
