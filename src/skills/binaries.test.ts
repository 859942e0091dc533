import assert from 'node:assert/strict';
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter } from 'node:path';
import { test } from 'node:test';
import { tree, type Tree } from '../../test/support/tree.ts';
import { binariesOn } from './binaries.ts';

function program(files: Tree, name: string): void {
  chmodSync(files.write(name, '#!/bin/sh\n'), 0o755);
}

test('a program on the PATH is found, a file that cannot be run and a folder are not', () => {
  using files = tree({ 'b/plain': '', 'b/folder/x': '' });
  program(files, 'b/tool');
  symlinkSync(files.at('b/tool'), files.at('b/link'));
  symlinkSync(files.at('b/gone'), files.at('b/dangling'));
  const binaries = binariesOn(() => [files.at('a'), files.at('b')].join(delimiter));
  assert.equal(binaries.has('tool'), true);
  assert.equal(binaries.has('link'), true);
  for (const name of ['plain', 'folder', 'dangling', 'missing'])
    assert.equal(binaries.has(name), false, name);
});

test('names that lead elsewhere are never found', () => {
  using files = tree();
  program(files, 'bin/tool');
  program(files, 'outside');
  const binaries = binariesOn(() => files.at('bin'));
  for (const name of ['../outside', files.at('bin/tool'), './tool', 'bin/tool', '', '..', '.', 'tool\0']) {
    assert.equal(binaries.has(name), false, name);
  }
});

test('empty and relative parts of the PATH are not looked in', () => {
  using files = tree();
  program(files, 'bin/tool');
  const before = process.cwd();
  process.chdir(files.at('bin'));
  try {
    assert.equal(binariesOn(() => ['', '.', '../bin'].join(delimiter)).has('tool'), false);
  } finally {
    process.chdir(before);
  }
});

test('hits and misses are remembered until told to forget', () => {
  using files = tree();
  program(files, 'bin/here');
  let path = files.at('bin');
  const binaries = binariesOn(() => path);
  assert.deepEqual([binaries.has('here'), binaries.has('later')], [true, false]);
  program(files, 'bin/later');
  rmSync(files.at('bin/here'));
  assert.deepEqual([binaries.has('here'), binaries.has('later')], [true, false]);
  binaries.forget();
  assert.deepEqual([binaries.has('here'), binaries.has('later')], [false, true]);
  path = '';
  assert.equal(binaries.has('later'), true);
  binaries.forget();
  assert.equal(binaries.has('later'), false);
});

test('extensions are tried where the system has them', () => {
  using files = tree();
  program(files, 'bin/tool.EXE');
  assert.equal(binariesOn(() => files.at('bin'), ['.COM', '.EXE']).has('tool'), true);
  assert.equal(binariesOn(() => files.at('bin')).has('tool'), false);
});
