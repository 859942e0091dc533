import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { Issue, ServerDescription } from '../../core/index.ts';
import { readSettings } from '../read/settings.ts';

/** A plugin with one server. */
const plugin = (dir: string): Readonly<Record<string, string>> => ({
  [`${dir}/.claude-plugin/plugin.json`]: '{"name": "acme"}',
  [`${dir}/.mcp.json`]: '{"mcpServers": {"db": {"command": "${CLAUDE_PLUGIN_ROOT}/db", "env": {"A": "b"}}}}',
});

function read(files: Tree): { servers: readonly ServerDescription[]; issues: readonly Issue[] } {
  const { settings, issues } = readSettings({
    startDir: files.at('home/work'),
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
