import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { Issue, ServerDescription } from '../../core/index.ts';
import { readSettings } from '../read/settings.ts';

/** A plugin with one server. */
const plugin = (dir: string): Readonly<Record<string, string>> => ({
  [`${dir}/.claude-plugin/plugin.json`]: '{"name": "acme"}',
  [`${dir}/.mcp.json`]: '{"mcpServers": {"db": {"command": "${CLAUDE_PLUGIN_ROOT}/db", "env": {"A": "b"}}}}',
});

function read(
  files: Tree,
  startDir = 'home/work',
): { servers: readonly ServerDescription[]; issues: readonly Issue[] } {
  const { settings, issues } = readSettings({
    startDir: files.at(startDir),
    userFolder: files.at('home/.skilled'),
    home: files.at('home'),
  });
  return { servers: settings.servers ?? [], issues };
}

describe('the servers of a plugin', () => {
  test('are configured with the names and folders that Claude Code gives them', () => {
    using files = tree({
      ...plugin('home/acme'),
      'home/.skilled/settings.json': '{"plugins": ["~/acme"]}',
      'home/work/x': '',
    });
    const { servers, issues } = read(files);
    const dir = files.at('home/acme');
    assert.deepEqual(issues, []);
    assert.deepEqual(servers, [
      {
        kind: 'stdio',
        name: 'plugin_acme_db',
        command: `${dir}/db`,
        args: [],
        env: { CLAUDE_PLUGIN_ROOT: dir, A: 'b' },
        expands: true,
        near: [dir],
        read: [dir],
      },
    ]);
  });

  test('in a project folder do not start, even if the user lists the plugin', () => {
    using files = tree({
      ...plugin('home/work/node_modules/acme'),
      'home/.skilled/settings.json': '{"plugins": ["acme"]}',
      'home/work/.git/HEAD': '',
    });
    const { servers, issues } = read(files);
    assert.deepEqual(servers, []);
    assert.deepEqual(
      issues.map(({ code, file }) => [code, file]),
      [['settings.untrusted', files.at('home/work/node_modules/acme/.claude-plugin/plugin.json')]],
    );
  });

  test('in the node_modules of a project do not start in a folder of the project', () => {
    using files = tree({
      ...plugin('home/work/node_modules/acme'),
      'home/.skilled/settings.json': '{"plugins": ["acme"]}',
      'home/work/.git/HEAD': '',
      'home/work/sub/x': '',
      'home/work/own/.skilled/settings.json': '{}',
    });
    for (const startDir of ['home/work/sub', 'home/work/own']) {
      const { servers, issues } = read(files, startDir);
      assert.deepEqual(servers, []);
      assert.deepEqual(
        issues.map(({ code }) => code),
        ['settings.untrusted'],
      );
    }
  });

  test('do not start if a project only links to the plugin', () => {
    using files = tree({
      ...plugin('home/acme'),
      'home/.skilled/settings.json': '{"plugins": ["acme"]}',
      'home/work/node_modules/x': '',
    });
    symlinkSync(files.at('home/acme'), files.at('home/work/node_modules/acme'));
    assert.deepEqual(read(files).servers, []);
  });

  test('start from the node_modules of the home folder', () => {
    using files = tree({
      ...plugin('home/node_modules/acme'),
      'home/.skilled/settings.json': '{"plugins": ["acme"]}',
      'home/work/x': '',
    });
    assert.deepEqual(
      read(files).servers.map(({ name }) => name),
      ['plugin_acme_db'],
    );
  });

  test('of a plugin that only an untrusted project lists do not start', () => {
    using files = tree({
      ...plugin('home/acme'),
      'home/work/.skilled/settings.json': '{"plugins": ["../acme"]}',
    });
    assert.deepEqual(read(files).servers, []);
  });

  test('that are damaged are reported', () => {
    using files = tree({
      ...plugin('home/acme'),
      'home/acme/.mcp.json': '{"mcpServers": {"db": {"url": 5}, "two": 5}}',
      'home/.skilled/settings.json': '{"plugins": ["~/acme"]}',
      'home/work/x': '',
    });
    const { servers, issues } = read(files);
    assert.deepEqual(servers, []);
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['server.invalid', 'server.invalid'],
    );
  });
});
