import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { tree } from '../../test/support/tree.ts';
import { isolateCommands } from './isolate-command.ts';
import { installHint } from './isolate-engine.ts';

const manifest = JSON.stringify({
  ...{ name: 'skilled', type: 'module', exports: { './package.json': './package.json' } },
  optionalDependencies: { 'isolated-vm': '7.0.1' },
});

/** What a snippet comes to in a copy of the package that finds these packages and no others. */
async function runWith(
  packages: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  using files = tree({ 'package.json': manifest, ...packages });
  for (const folder of ['core', 'sandboxes', 'files'])
    cpSync(join(import.meta.dirname, '..', folder), files.at('src', folder), { recursive: true });
  const module = pathToFileURL(files.at('src', 'sandboxes', 'isolate.ts')).href;
  const program = `
    import { createIsolates } from ${JSON.stringify(module)};
    const runner = createIsolates();
    const told = ({ code, message, hint, details }) => ({ code, message, hint, details });
    const said = await runner.run({ code: 'return 1', input: null }, new AbortController().signal).catch(told);
    console.log(JSON.stringify(said));
    await runner.close();`;
  const words = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('without the engine', () => {
  test('a snippet fails with the name of the package and the command that installs it', async () => {
    const { code, message, hint, details } = await runWith({});
    assert.equal(code, 'sandbox.unavailable');
    assert.equal(message, 'Snippets cannot run: the optional package isolated-vm is not installed.');
    assert.match(String(hint), /^Install it in \/.*: npm install isolated-vm@7\.0\.1$/);
    assert.deepEqual(details, { package: 'isolated-vm' });
  });

  test('that fits this Node a snippet fails with the whole reason and the command that builds it', async () => {
    const broken = [
      "const lines = ['The module /x.node', 'was compiled against a different Node.js version.', 'Require stack:', '- x'];",
      "throw new Error(lines.join('\\n'));",
    ];
    const { code, message, hint, details } = await runWith({
      'node_modules/isolated-vm/index.js': broken.join('\n'),
      'node_modules/node-gyp-build/index.js': '',
    });
    assert.equal(code, 'sandbox.unavailable');
    assert.match(
      String(message),
      /isolated-vm does not load: The module \/x\.node was compiled against a different Node\.js version\.$/,
    );
    assert.match(String(hint), /^Build it in \/.* for Node \d.*: npm rebuild isolated-vm$/);
    assert.deepEqual(details, { package: 'isolated-vm' });
  });

  test('a part of it is as bad as all of it', async () => {
    const { code, message, hint } = await runWith({ 'node_modules/isolated-vm/index.js': '' });
    assert.equal(code, 'sandbox.unavailable');
    assert.match(String(message), /isolated-vm does not load: Cannot find module 'node-gyp-build'$/);
    assert.match(String(hint), /npm rebuild/);
  });
});

test('the engine is installed where the package finds it: in the project around it, or for all projects', () => {
  using files = tree({
    'shop/package.json': '{}',
    ...Object.fromEntries(
      [
        'shop/node_modules/skilled',
        'shop/node_modules/.pnpm/skilled@1/node_modules/skilled',
        'lib/node_modules/skilled',
        'clone',
      ].map((folder) => [`${folder}/package.json`, manifest]),
    ),
  });
  const hintIn = (folder: string): string => installHint(files.at(folder));
  const local = `Install it in ${files.at('shop')}: npm install isolated-vm@7.0.1`;
  assert.equal(hintIn('shop/node_modules/skilled'), local);
  assert.equal(hintIn('shop/node_modules/.pnpm/skilled@1/node_modules/skilled'), local);
  assert.match(hintIn('lib/node_modules/skilled'), /: npm install --global isolated-vm@7\.0\.1$/);
  assert.equal(hintIn('clone'), `Install it in ${files.at('clone')}: npm install isolated-vm@7.0.1`);
});

test('the process of the engine reads no package but the engine', () => {
  const read = isolateCommands().bare.filter((word) => word.startsWith('--allow-fs-read='));
  const packages = read.flatMap((word) => /\/node_modules(\/[^.].*)$/.exec(word)?.[1] ?? []);
  assert.deepEqual([...new Set(packages)].sort(), ['/isolated-vm', '/node-gyp-build']);
});
