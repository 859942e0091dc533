import assert from 'node:assert/strict';
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../test/support/tree.ts';
import { findProgram, mustNotOpenHome, type FoundProgram } from './find-program.ts';

const manifest = (bin: unknown, version = '1.2.3'): string => JSON.stringify({ name: 'x', version, bin });
const script = '#!/usr/bin/env node\n';

function project(): Tree {
  const files = tree({
    'p/skills/desk/a.txt': '',
    'p/node_modules/one/package.json': manifest('run.js'),
    'p/node_modules/one/run.js': script,
    'p/node_modules/@scope/two/package.json': manifest({ other: 'other.js', two: './bin/two.js' }),
    'p/node_modules/@scope/two/bin/two.js': script,
    'p/node_modules/@scope/two/other.js': script,
    'p/node_modules/none/package.json': manifest({ a: 'a.js', b: 'b.js' }),
    'p/node_modules/broken/package.json': '{',
    'p/node_modules/outside/package.json': manifest('../../../linked/run.mjs'),
    'p/node_modules/.bin/shell-tool': '#!/bin/sh\n',
    'linked/package.json': manifest('run.mjs'),
    'linked/run.mjs': '',
    'path/tool': '#!/bin/sh\n',
    'path/npx': '#!/bin/sh\n',
  });
  for (const program of ['p/node_modules/.bin/shell-tool', 'path/tool', 'path/npx'])
    chmodSync(files.at(program), 0o755);
  symlinkSync(files.at('linked'), files.at('p/node_modules/linked'));
  return files;
}

function find(files: Tree, command: string, ...args: readonly string[]): FoundProgram {
  const [folder, path] = [files.at('p/skills/desk'), files.at('path')];
  return findProgram({ name: 'desk', command, args, folder, near: [folder], path });
}

describe('the program of a server', () => {
  const packages: readonly (readonly [args: string, file: string, rest: readonly string[]])[] = [
    ['-y one --flag', 'p/node_modules/one/run.js', ['--flag']],
    ['one@latest', 'p/node_modules/one/run.js', []],
    ['one@1.2.3 .', 'p/node_modules/one/run.js', ['.']],
    ['--yes @scope/two@^1 -y', 'p/node_modules/@scope/two/bin/two.js', ['-y']],
    ['-y -p @scope/two other x', 'p/node_modules/@scope/two/other.js', ['x']],
    ['--package=@scope/two -- other', 'p/node_modules/@scope/two/other.js', []],
    ['linked', 'linked/run.mjs', []],
  ];
  for (const [args, file, rest] of packages) {
    test(`npx ${args} is run as it is installed`, () => {
      using files = project();
      const found = find(files, 'npx', ...args.split(' '));
      assert.equal(found.program, process.execPath);
      assert.deepEqual(found.args, [files.at(file), ...rest]);
      assert.ok(found.read.includes(files.at('p/node_modules')));
      assert.equal(found.read.includes(files.at('linked')), file.startsWith('linked'));
    });
  }

  for (const args of [
    '-y elsewhere',
    'one@9.9.9',
    'none',
    'broken',
    'outside',
    'github:a/b',
    '-c whoami',
    '../one',
    '/etc/passwd',
  ]) {
    test(`npx ${args} is left to npx`, () => {
      using files = project();
      assert.equal(find(files, 'npx', ...args.split(' ')).program, files.at('path/npx'));
    });
  }

  for (const args of ['-y elsewhere', '-c whoami', 'github:a/b']) {
    test(`npx ${args} is not started in a folder whose programs do not count`, () => {
      using files = project();
      const [folder, near, path] = [files.at('p'), [files.at('linked')], files.at('path')];
      const request = { name: 'desk', command: 'npx', args: args.split(' '), near, path };
      assert.throws(() => findProgram({ ...request, folder }), {
        code: 'server.unreachable',
        hint: /--prefix/,
      });
      assert.equal(findProgram(request).program, files.at('path/npx'));
    });
  }

  test('is next to the skill before it is looked for on the path', () => {
    using files = project();
    const node = dirname(process.execPath);
    assert.deepEqual(find(files, 'shell-tool', 'a'), {
      program: files.at('p/node_modules/.bin/shell-tool'),
      args: ['a'],
      read: [files.at('p/node_modules'), node],
    });
    assert.deepEqual(find(files, 'tool'), {
      program: files.at('path/tool'),
      args: [],
      read: [files.at('path'), node],
    });
  });

  test('is this Node where it is "node", and a path is one from its folder', () => {
    using files = project();
    assert.equal(find(files, 'node', 'x.js').program, process.execPath);
    assert.equal(find(files, '../../../path/tool').program, files.at('path/tool'));
  });

  test('opens no home of a user, nor what holds one', () => {
    const { homedir } = userInfo();
    for (const folder of [homedir, dirname(homedir)]) {
      assert.throws(() => mustNotOpenHome('desk', [folder]), { code: 'server.unreachable', message: /home/ });
    }
    mustNotOpenHome('desk', [join(homedir, 'programs')]);
  });

  test('is missing, which is said with what to do', () => {
    using files = project();
    assert.throws(() => find(files, 'nothing'), { code: 'server.unreachable', hint: /^Install / });
    const request = { name: 'desk', near: [files.path], folder: files.path, path: '' };
    assert.throws(() => findProgram({ ...request, command: 'npx', args: ['-y', '@scope/far'] }), {
      code: 'server.unreachable',
      hint: `Run "npm install @scope/far" in ${files.path}.`,
    });
  });
});

test('a program in the folder of a skill is the one of its copy, whatever is there by now', () => {
  using files = tree({ 'skill/run.sh': '#!/bin/sh\n', 'copy/run.sh': script, 'evil/run.sh': '#!/bin/sh\n' });
  for (const path of ['skill/run.sh', 'evil/run.sh']) chmodSync(files.at(path), 0o755);
  const [folder, command] = [files.at('skill'), files.at('skill/run.sh')];
  const copy = { of: folder, folder: files.at('copy') };
  const request = { name: 'desk', command, args: ['a'], folder, near: [folder], path: '', copy };
  const expected = {
    program: process.execPath,
    args: [command, 'a'],
    read: [folder, dirname(process.execPath)],
  };
  assert.deepEqual(findProgram(request), expected);
  rmSync(command);
  symlinkSync(files.at('evil/run.sh'), command);
  assert.deepEqual(findProgram(request), expected);
  rmSync(files.at('copy/run.sh'));
  assert.throws(() => findProgram(request), { code: 'skill.changed' });
});
