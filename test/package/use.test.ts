import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { documentOf } from '../support/command.ts';
import { runCommand, type ProcessOptions } from '../support/command-process.ts';
import { installedPackage, installedProject } from '../support/installed.ts';
import { skillText, tree, type Tree } from '../support/tree.ts';
import { readManifest } from './manifest.ts';

const manifest = readManifest(installedPackage);
const libraries = Object.keys(manifest.exports ?? {})
  .filter((entry) => !entry.endsWith('.json'))
  .map((entry) => path.posix.join('skilled', entry));

describe('the installed package', { concurrency: true }, () => {
  test('npx starts the command', async () => {
    using home = tree();
    const run = async (...args: readonly string[]): Promise<string> =>
      (await execute('npx', ['--offline', 'skilled', ...args], home)).stdout;
    assert.equal((await run('--version')).trim(), manifest.version);
    assert.match(await run('mcp', '--help'), /Usage: skilled mcp/);
  });

  test('the recorded run is shown, and nothing is written', async () => {
    using files = tree({ 'empty/.git/HEAD': '' });
    const how = { ...options(files), cwd: files.at('empty') };
    assert.match((await runCommand(['demo', '--quiet'], how)).out, /job 1043/);
    const { run } = documentOf(await runCommand(['demo', '--json'], how)) as { run: { status: string } };
    assert.equal(run.status, 'done');
    assert.deepEqual(readdirSync(how.cwd), ['.git']);
  });

  test('a skill is checked', async () => {
    using files = tree({ 'skills/greet/SKILL.md': skillText('greet', 'Greets everybody who asks for it.') });
    const ended = await runCommand(['validate', 'skills/greet', '--strict', '--json'], options(files));
    assert.equal(documentOf(ended)['ok'], true, ended.out);
  });

  test('the skills inside the package are found', async () => {
    using files = tree();
    const { skills } = documentOf(await runCommand(['list', '--json'], options(files)));
    assert.ok((skills as readonly { source: string }[]).some(({ source }) => source === 'bundled'));
  });

  test('the thread of a search starts', async () => {
    using files = tree({ 'package.json': '{ "type": "module" }\n' });
    const input = JSON.stringify({ pattern: 'module', output_mode: 'count' });
    const ended = await runCommand(['run', '/grep', '--args-json', input, '-q'], options(files));
    assert.match(ended.out, /package\.json/, ended.err);
  });

  test('the libraries are those that are documented', () => {
    assert.deepEqual(libraries, ['skilled', 'skilled/server', 'skilled/testing']);
  });

  for (const name of libraries) {
    test(`"${name}" can be imported`, async () => {
      using home = tree();
      const script = `console.log(Object.keys(await import('${name}')).length)`;
      const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', script], home);
      assert.ok(Number(stdout) > 0, stdout);
    });
  }
});

function options(files: Tree): ProcessOptions & { readonly cwd: string } {
  return { env: { HOME: files.at('home'), PATH: '/usr/bin:/bin' }, cwd: files.path };
}

/** Runs a command in the project with the Node of these tests and a separate home folder. */
function execute(
  program: string,
  args: readonly string[],
  home: Tree,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const PATH = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
  const env = { HOME: home.path, PATH, npm_config_update_notifier: 'false' };
  return promisify(execFile)(program, args, { cwd: installedProject, env });
}
