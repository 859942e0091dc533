import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { findEntry } from './entry.ts';

describe('the module of a code skill', () => {
  test('is the first of its kinds', () => {
    using files = tree({ 'src/index.js': '' });
    assert.deepEqual(findEntry(files.path), { path: 'src/index.js' });
    for (const name of ['src/index.mjs', 'src/index.mts', 'src/index.ts']) {
      files.write(name, '');
      assert.deepEqual(findEntry(files.path), { path: name });
    }
  });

  test('is a file', () => {
    using files = tree({ 'src/index.mjs': '' });
    mkdirSync(files.at('src/index.ts'));
    assert.deepEqual(findEntry(files.path), { path: 'src/index.mjs' });
  });

  test('is nothing if there is none', () => {
    using files = tree({ 'index.ts': '', 'src/other.ts': '' });
    for (const dir of [files.path, files.at('nowhere'), '']) assert.equal(findEntry(dir), undefined);
  });

  test('may be a link within the folder, which may be reached by one', () => {
    using files = tree({ 'skill/lib/code.ts': '', 'skill/src/x': '' });
    symlinkSync('../lib/code.ts', files.at('skill/src/index.ts'));
    symlinkSync('skill', files.at('other'));
    assert.deepEqual(findEntry(files.at('other')), { path: 'src/index.ts' });
  });

  test('may not lead out of the folder, by itself or by a folder', () => {
    using files = tree({ 'code/index.ts': '', 'code/index.js': '', 'a/src/x': '', 'b/x': '' });
    symlinkSync('../../code/index.ts', files.at('a/src/index.ts'));
    symlinkSync('../code', files.at('b/src'));
    for (const name of ['a', 'b'])
      assert.deepEqual(findEntry(files.at(name)), { path: 'src/index.ts', fault: 'outside' });
    files.write('a/src/index.js', '');
    assert.deepEqual(findEntry(files.at('a')), { path: 'src/index.js' });
  });

  test('has no types where Node strips none', () => {
    using files = tree({ 'node_modules/p/skills/a/src/index.ts': '' });
    const dir = files.at('node_modules/p/skills/a');
    assert.deepEqual(findEntry(dir), { path: 'src/index.ts', fault: 'typed' });
    symlinkSync('node_modules/p/skills/a', files.at('linked'));
    assert.deepEqual(findEntry(files.at('linked')), { path: 'src/index.ts', fault: 'typed' });
    files.write('node_modules/p/skills/a/src/index.js', '');
    assert.deepEqual(findEntry(dir), { path: 'src/index.js' });
    renameSync(files.at('node_modules'), files.at('packages'));
    assert.deepEqual(findEntry(files.at('packages/p/skills/a')), { path: 'src/index.ts' });
  });
});
