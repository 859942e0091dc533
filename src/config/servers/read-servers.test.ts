import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { explainSetting } from '../read/layers.ts';
import { readLayers, readSettings, findIgnoredKeys, type SettingsSources } from '../read/settings.ts';
import { projectDigest, projectState, userTrustBook } from '../trust.ts';

const user = 'home/.skilled/settings.json';
const project = 'home/work/.skilled/settings.json';
const local = 'home/work/.skilled/settings.local.json';
const shared = 'home/work/.mcp.json';

function sources(files: Tree): SettingsSources {
  return {
    startDir: files.at('home/work'),
    userFolder: files.at('home/.skilled'),
    home: files.at('home'),
  };
}

async function trust(files: Tree): Promise<void> {
  const state = projectState(sources(files));
  const digest = state && projectDigest(state);
  assert.ok(state !== undefined && digest !== undefined);
  await userTrustBook(sources(files)).trustProject({ folder: state.folder, digest });
}

function servers(command: string, ...names: readonly string[]): string {
  return JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command }])) });
}

/** Returns the servers as `name command`, and the issues as `level code file:line`. */
function read(files: Tree): { readonly known: readonly string[]; readonly found: readonly string[] } {
  const { settings, issues } = readSettings(sources(files));
  return {
    known: (settings.servers ?? []).map(
      (one) => `${one.name} ${one.kind === 'stdio' ? one.command : one.url}`,
    ),
    found: issues.map(
      ({ level, code, file = '', line }) =>
        `${level} ${code} ${file.replace(`${files.path}/home/`, '')}:${line ?? ''}`,
    ),
  };
}

describe('the setting mcpServers', () => {
  test('describes servers in the file of the user; one that is wrong is left out whole, on its line', () => {
    using files = tree({
      [user]: `{"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "x"], "workspace": "read"},
        "web": {"url": "https://example.org/mcp", "bearer": {"env": "TOKEN"}, "skills": true},
        "wrong": {"command": "x", "hosts": ["a b"]},
        "a b": {"command": "x"}
      }}`,
    });
    const { settings, issues } = readSettings(sources(files));
    const near = [files.at('home/.skilled')];
    assert.deepEqual(settings.servers, [
      { kind: 'stdio', name: 'files', command: 'npx', args: ['-y', 'x'], env: {}, workspace: 'read', near },
      {
        kind: 'http',
        name: 'web',
        url: 'https://example.org/mcp',
        headers: {},
        bearer: { env: 'TOKEN' },
        skills: true,
      },
    ]);
    assert.deepEqual(
      issues.map(({ message, line }) => `${line} ${message}`),
      [
        '4 "mcpServers.wrong" must be a valid server; this one has "hosts" that are not a list of hosts. It is ignored.',
        '5 "mcpServers.a b" must be a valid server; this one has a space in its name. It is ignored.',
      ],
    );
  });

  test('does not count in a project that is not trusted, and a byte takes that away again', async () => {
    using files = tree({ [project]: servers('p', 'a'), [shared]: servers('m', 'b', 'c') });
    const untrusted = {
      known: [],
      found: [
        'warning settings.untrusted work/.skilled/settings.json:1',
        'info settings.untrusted work/.mcp.json:',
      ],
    };
    assert.deepEqual(read(files), untrusted);
    assert.deepEqual(findIgnoredKeys(sources(files)), ['mcpServers', 'mcpServers.b', 'mcpServers.c']);
    await trust(files);
    assert.deepEqual(findIgnoredKeys(sources(files)), []);
    assert.deepEqual(read(files), { known: ['a p', 'b m', 'c m'], found: [] });
    files.write(shared, `${servers('m', 'b', 'c')} `);
    assert.deepEqual(read(files), untrusted);
  });

  test('goes by name: the user, then the project on this machine, then the project, then its .mcp.json', async () => {
    using files = tree({
      [user]: servers('user', 'a'),
      [local]: servers('local', 'a', 'b'),
      [project]: servers('project', 'a', 'b', 'c'),
      [shared]: servers('shared', 'a', 'd'),
    });
    await trust(files);
    const { known, found } = read(files);
    assert.deepEqual(known, ['a user', 'b local', 'c project', 'd shared']);
    assert.deepEqual(found, [
      'warning server.duplicate work/.skilled/settings.local.json:',
      'warning server.duplicate work/.skilled/settings.json:',
      'warning server.duplicate work/.skilled/settings.json:',
      'warning server.duplicate work/.mcp.json:',
    ]);
  });

  test('never mixes two descriptions of one name', async () => {
    using files = tree({
      [user]: '{"mcpServers": {"a": {"url": "https://mine.example.org", "bearer": {"env": "TOKEN"}}}}',
      [project]: '{"mcpServers": {"a": {"url": "https://theirs.example.org", "timeoutSeconds": 5}}}',
    });
    await trust(files);
    const mine = { url: 'https://mine.example.org', bearer: { env: 'TOKEN' } };
    const { settings } = readSettings(sources(files));
    assert.deepEqual(settings.servers, [{ kind: 'http', name: 'a', headers: {}, ...mine }]);
    assert.deepEqual(settings.all?.['mcpServers'], { a: mine });
    const { layers } = readLayers(sources(files));
    const { value, says } = explainSetting(['mcpServers', 'a'], layers);
    assert.deepEqual(value, mine);
    assert.deepEqual(
      says.map(({ layer, wins }) => [layer, wins]),
      [
        ['user', true],
        ['project', false],
      ],
    );
  });

  test('finds a program of the user in a project only where that is trusted', async () => {
    using files = tree({ [user]: servers('x', 'a'), [project]: '{}' });
    const nearOf = (): unknown => {
      const [first] = readSettings(sources(files)).settings.servers ?? [];
      return first?.kind === 'stdio' ? first.near : undefined;
    };
    assert.deepEqual(nearOf(), [files.at('home/.skilled')]);
    await trust(files);
    assert.deepEqual(nearOf(), [files.at('home/.skilled'), files.at('home/work')]);
  });
});

describe('a .mcp.json file', () => {
  const broken: readonly [what: string, text: string, found: readonly string[]][] = [
    ['is no JSON', '{\n"mcpServers": {,}\n}', ['error settings.invalid work/.mcp.json:2']],
    ['has no object', '{"mcpServers": []}', ['error settings.invalid work/.mcp.json:1']],
    ['is a list', '[]', ['error settings.invalid work/.mcp.json:1']],
    ['is empty', ' ', []],
    ['has them at the top', '{"a": {"command": "x"}}', ['error settings.invalid work/.mcp.json:1']],
    ['has other words', '{"servers": {"a": {"url": "x"}}}', ['error settings.invalid work/.mcp.json:1']],
    ['speaks of other things', '{"inputs": []}', []],
    [
      'has a server that is not spoken with any more',
      '{"mcpServers": {\n"a": {"type": "sse", "url": "https://example.org"}}}',
      ['error server.invalid work/.mcp.json:2'],
    ],
    ['has one that is switched off', '{"mcpServers": {"a": {"command": "x", "disabled": true}}}', []],
  ];
  for (const [what, text, found] of broken) {
    test(`that ${what} gives no server`, async () => {
      using files = tree({ [shared]: text });
      await trust(files);
      assert.deepEqual(read(files), { known: [], found });
    });
  }

  test('keeps its variables as they are written, so that no secret is in the settings', async () => {
    using files = tree({
      [shared]:
        '{"mcpServers": {"a": {"url": "${BASE}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}',
    });
    await trust(files);
    assert.deepEqual(readSettings(sources(files)).settings.servers, [
      {
        kind: 'http',
        name: 'a',
        expands: true,
        url: '${BASE}/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
      },
    ]);
  });
});
