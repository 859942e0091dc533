import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { describe, test } from 'node:test';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { builtinFamilies } from '../../families/index.ts';
import { findManifestRoots, pluginServers, readManifests } from './plugin-manifest.ts';

const plugin = (fields: object): string => JSON.stringify({ name: 'acme', ...fields });

/** The roots of the plugins in a folder, as `plugin kind path`, and the codes of the issues. */
function rootsIn(files: Tree): { readonly roots: readonly string[]; readonly codes: readonly string[] } {
  const { roots, issues } = findManifestRoots(files.path, 'plugin', builtinFamilies);
  return {
    roots: roots.map(
      ({ plugin: owner, kind, path, only }) =>
        `${owner?.name} ${kind} ${[relative(files.path, path), ...(only === undefined ? [] : [only])].join('/')}`,
    ),
    codes: issues.map(({ code }) => code),
  };
}

describe('a Claude Code plugin', () => {
  test('brings its skills, commands and agents', () => {
    using files = tree({
      '.claude-plugin/plugin.json': plugin({}),
      'skills/a/SKILL.md': skillText('a'),
      'commands/b.md': 'Do b.',
      'agents/c.md': skillText('c'),
    });
    assert.deepEqual(rootsIn(files), {
      roots: ['acme skills skills', 'acme agents agents', 'acme commands commands'],
      codes: [],
    });
  });

  test('brings the folders and files that its manifest lists as well', () => {
    using files = tree({
      '.claude-plugin/plugin.json': plugin({ commands: ['./more', './one/only.md'], skills: './extra' }),
      'commands/b.md': '',
      'more/c.md': '',
      'one/only.md': '',
      'extra/d/SKILL.md': '',
    });
    assert.deepEqual(rootsIn(files).roots, [
      'acme skills extra',
      'acme commands commands',
      'acme commands more',
      'acme commands one/only.md',
    ]);
  });

  test('cannot list folders outside of it', () => {
    using files = tree({ 'p/.claude-plugin/plugin.json': plugin({ skills: '../other' }), 'other/a': '' });
    const { roots, issues } = findManifestRoots(files.at('p'), 'plugin', builtinFamilies);
    assert.deepEqual(roots, []);
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['plugin.unusable'],
    );
  });

  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'x' }] }], SessionStart: ['y'] };

  test('adds its hooks to its skills, and reports other events', () => {
    using files = tree({
      '.claude-plugin/plugin.json': plugin({ hooks: { Stop: ['z'] } }),
      'hooks/hooks.json': JSON.stringify({ hooks }),
      'skills/a/SKILL.md': skillText('a'),
    });
    const { roots, issues } = findManifestRoots(files.path, 'plugin', builtinFamilies);
    assert.deepEqual(
      roots[0]?.plugin?.hooks?.map(({ moment, command }) => [moment, command]),
      [
        ['before', 'x'],
        ['stop', 'z'],
      ],
    );
    assert.deepEqual(
      issues.map(({ code, file }) => [code, file]),
      [['hook.unused', files.at('hooks/hooks.json')]],
    );
  });

  test('with more files than a digest covers has no hooks', () => {
    using files = tree({
      '.claude-plugin/plugin.json': plugin({ hooks: { Stop: ['z'] } }),
      'skills/a/SKILL.md': skillText('a'),
      ...Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`data/${index}.txt`, ''])),
    });
    const { roots, issues } = findManifestRoots(files.path, 'plugin', builtinFamilies);
    assert.equal(roots[0]?.plugin?.hooks, undefined);
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['hook.unused'],
    );
  });

  test('without a name is named after its folder, and never like a source', () => {
    using files = tree({
      'tools/.claude-plugin/plugin.json': '{}',
      'user/.claude-plugin/plugin.json': '{"name": "User"}',
    });
    const names = ['tools', 'user'].flatMap((dir) => readManifests(files.at(dir), []));
    assert.deepEqual(
      names.map(({ name }) => name),
      ['tools', 'user-plugin'],
    );
  });

  for (const text of ['', '{', '[]', 'null']) {
    test(`with a damaged manifest is reported and still read: ${JSON.stringify(text)}`, () => {
      using files = tree({ 'p/.claude-plugin/plugin.json': text, 'p/skills/a/SKILL.md': '' });
      const { roots, issues } = findManifestRoots(files.at('p'), 'plugin', builtinFamilies);
      assert.deepEqual(
        roots.map((root) => root.plugin?.name),
        ['p'],
      );
      assert.deepEqual(
        issues.map(({ code }) => code),
        ['plugin.unusable'],
      );
    });
  }
});

describe('a marketplace', () => {
  test('brings each of its plugins', () => {
    using files = tree({
      '.claude-plugin/marketplace.json': JSON.stringify({
        metadata: { pluginRoot: './plugins' },
        plugins: [
          { name: 'one', source: './plugins/one' },
          { name: 'two', source: 'two' },
          { name: 'far', source: { source: 'github', repo: 'a/b' } },
        ],
      }),
      'plugins/one/.claude-plugin/plugin.json': '{"name": "one"}',
      'plugins/one/skills/a/SKILL.md': '',
      'plugins/two/commands/b.md': '',
    });
    assert.deepEqual(rootsIn(files), {
      roots: ['one skills plugins/one/skills', 'two commands plugins/two/commands'],
      codes: ['plugin.unusable'],
    });
  });

  test('whose plugins share a folder brings only what each of them lists', () => {
    using files = tree({
      '.claude-plugin/marketplace.json': JSON.stringify({
        plugins: [
          { name: 'docs', source: './', skills: ['./skills/a'] },
          { name: 'code', source: './', skills: ['./skills/b'] },
        ],
      }),
      'skills/a/SKILL.md': '',
      'skills/b/SKILL.md': '',
    });
    assert.deepEqual(rootsIn(files).roots, ['docs skills skills/a', 'code skills skills/b']);
  });
});

test('a manifest of more than a megabyte is not read', () => {
  using files = tree({
    '.claude-plugin/plugin.json': plugin({ description: 'x'.repeat(2 ** 20) }),
    'skills/a/SKILL.md': '',
  });
  assert.deepEqual(rootsIn(files).codes, ['plugin.unusable']);
});

test('the servers of a plugin have its folder filled in', () => {
  using files = tree({
    '.claude-plugin/plugin.json': plugin({ mcpServers: { b: { command: '${CLAUDE_PLUGIN_ROOT}/b' } } }),
    '.mcp.json': '{"mcpServers": {"a": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/a.js"]}}}',
  });
  const servers = readManifests(files.path, []).flatMap((manifest) => pluginServers(manifest, []));
  assert.deepEqual(
    servers.map(({ name, entry }) => [name, entry]),
    [
      ['a', { command: 'node', args: [`${files.path}/a.js`] }],
      ['b', { command: `${files.path}/b` }],
    ],
  );
});
