import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

function mcp(files: Tree, ...args: readonly string[]): ReturnType<typeof call> {
  const at = args.indexOf('--');
  const place = ['--cwd', files.at('work')];
  const all = at < 0 ? [...args, ...place] : [...args.slice(0, at), ...place, ...args.slice(at)];
  return call(['mcp', ...all]);
}

const project = (): Tree => tree({ 'work/.git/HEAD': '' });

function written({ out }: { readonly out: string }): unknown {
  return JSON.parse(readFileSync(out.trim(), 'utf8'));
}

describe('skilled mcp add, list and remove', () => {
  test('edit and show the servers in the settings', async () => {
    using files = project();
    const command = ['npx', '-y', '@x/files', '.'];
    const flags = [
      '--env',
      'TOKEN',
      '--env',
      'MODE=fast',
      '--workspace',
      'read',
      '--hosts',
      'a.example,b.example',
    ];
    const added = await mcp(files, 'add', 'files', ...flags, '--', ...command);
    assert.deepEqual([added.code, added.err], [0, '']);
    assert.match(added.out, /settings\.json\n$/);
    assert.equal((await mcp(files, 'add', 'web', 'https://example.org/mcp', '--bearer-env', 'T')).code, 0);
    const [first, ...args] = command;
    assert.deepEqual(written(added), {
      mcpServers: {
        files: {
          command: first,
          args,
          env: { TOKEN: { env: 'TOKEN' }, MODE: 'fast' },
          hosts: ['a.example', 'b.example'],
          workspace: 'read',
        },
        web: { url: 'https://example.org/mcp', bearer: { env: 'T' } },
      },
    });
    const { servers } = documentOf(await mcp(files, 'list', '--json')) as {
      servers: readonly { name: string; endpoint: string }[];
    };
    assert.deepEqual(
      servers.map(({ name, endpoint }) => `${name} ${endpoint}`),
      ['files npx @x/files', 'web https://example.org/mcp'],
    );
    assert.match((await mcp(files, 'list')).out, /^web +https:\/\/example\.org\/mcp /m);
    assert.equal((await mcp(files, 'remove', 'files')).code, 0);
    assert.deepEqual(Object.keys((written(added) as { mcpServers: object }).mcpServers), ['web']);
    await mcp(files, 'remove', 'web');
  });

  test('refuse what cannot be a server, one that exists, and one that does not', async () => {
    using files = project();
    const added = await mcp(files, 'add', 'other', 'https://example.org/mcp');
    for (const [code, ...args] of [
      ['usage.bad-input', 'add'],
      ['usage.bad-input', 'add', 'files'],
      ['usage.bad-input', 'add', 'a b', 'https://example.org'],
      ['usage.bad-input', 'add', 'other', 'https://other.example'],
      ['usage.bad-input', 'add', 'more', 'https://other.example', '--local'],
      ['usage.bad-input', 'add', 'more', 'https://other.example', 'x'],
      ['usage.bad-input', 'add', 'more', 'x', '--workspace', 'all'],
      [
        'usage.bad-input',
        'add',
        'more',
        'x',
        '--env',
        'TOKEN=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789',
      ],
      ['usage.not-found', 'remove', 'ohter'],
      ['usage.bad-input', 'lst'],
      ['usage.bad-input', '--env', 'X'],
    ] as const) {
      const result = await mcp(files, ...args, '--json');
      assert.equal(errorIn(result).code, code, args.join(' '));
    }
    assert.match((await mcp(files, 'remove', 'ohter')).err, /"other"/);
    assert.deepEqual(written(added), { mcpServers: { other: { url: 'https://example.org/mcp' } } });
    await mcp(files, 'remove', 'other');
  });

  test('report the servers of an untrusted project', async () => {
    using files = tree({
      'work/.git/HEAD': '',
      'work/.mcp.json': '{"mcpServers": {"shared": {"command": "x"}}}',
    });
    const { code, out, err } = await mcp(files, 'list');
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /skilled mcp add/);
  });
});
