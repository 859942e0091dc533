import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../../../test/support/deadline.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { Identity } from '../cache/fingerprint.ts';
import { awaitedNames, folderWatches, trailOf, type StartWatch } from './folder-watches.ts';

const one: Identity = { ino: 1, birth: 1 };

/** Creates watches that only count. */
function counted(): {
  readonly start: StartWatch;
  readonly log: string[];
  fault: string;
  fail: (dir: string) => void;
} {
  const log: string[] = [];
  const errors = new Map<string, () => void>();
  const stub = {
    log,
    fault: '',
    fail: (dir: string) => errors.get(dir)?.(),
    start: ((dir, _onEvent, onError) => {
      if (stub.fault !== '') throw Object.assign(new Error('no watch'), { code: stub.fault });
      log.push(`+${dir}`);
      errors.set(dir, onError);
      return { close: () => log.push(`-${dir}`) };
    }) satisfies StartWatch,
  };
  return stub;
}

test('a folder is watched once, and again when another folder took its place', () => {
  const { start, log } = counted();
  const watches = folderWatches(() => {}, start);
  assert.equal(watches.ensure('/a', one), 'started');
  assert.equal(watches.ensure('/a', one), 'kept');
  assert.equal(watches.ensure('/a', { ino: 2, birth: 1 }), 'replaced');
  assert.equal(watches.ensure('/a', { ino: 2, birth: 5 }), 'replaced', 'an inode that was used again');
  assert.deepEqual(log, ['+/a', '-/a', '+/a', '-/a', '+/a']);
});

test('a doubted watch is set again when the folder is next ensured', () => {
  const { start, log } = counted();
  const watches = folderWatches(() => {}, start);
  watches.ensure('/a', one);
  watches.doubt('/a');
  watches.doubt('/unknown');
  assert.equal(watches.ensure('/a', one), 'started');
  assert.equal(watches.ensure('/a', one), 'kept');
  assert.deepEqual(log, ['+/a', '-/a', '+/a']);
});

test('when the system has no more watches, no more are asked for until it is tried again', () => {
  for (const fault of ['ENOSPC', 'EMFILE', 'ENOMEM']) {
    const system = counted();
    const watches = folderWatches(() => {}, system.start);
    watches.ensure('/a', one);
    system.fault = fault;
    assert.equal(watches.ensure('/b', one), 'none');
    assert.equal(watches.refusal, fault);
    system.fault = '';
    assert.equal(watches.ensure('/c', one), 'none');
    watches.retry();
    assert.equal(watches.refusal, undefined);
    assert.equal(watches.ensure('/b', one), 'started');
    assert.equal(watches.size, 2);
  }
});

test('a folder that is gone or not ours to read is not a reason to stop watching', () => {
  for (const fault of ['ENOENT', 'ENOTDIR', 'EACCES']) {
    const system = counted();
    const watches = folderWatches(() => {}, system.start);
    system.fault = fault;
    assert.equal(watches.ensure('/a', one), 'none');
    assert.equal(watches.refusal, undefined);
  }
});

test('a watch that breaks is reported as a change of everything in its folder', () => {
  const system = counted();
  const changes: unknown[] = [];
  const watches = folderWatches((dir, name) => changes.push([dir, name]), system.start);
  watches.ensure('/a', one);
  system.fail('/a');
  assert.deepEqual(changes, [['/a', undefined]]);
  assert.equal(watches.ensure('/a', one), 'started');
});

test('watches of unwanted folders end, and closing ends all', () => {
  const { start, log } = counted();
  const watches = folderWatches(() => {}, start);
  for (const dir of ['/a', '/b', '/c']) watches.ensure(dir, one);
  watches.retain((dir) => dir !== '/b');
  assert.deepEqual(log.slice(3), ['-/b']);
  watches.close();
  assert.deepEqual(log.slice(4), ['-/a', '-/c']);
  assert.equal(watches.size, 0);
});

test('a watched folder that was moved away or replaced is distinguished from one that still exists', () => {
  using base = tree({ 'a/x': '' });
  const watches = folderWatches(() => {});
  const { ino, birthtimeMs } = statSync(base.at('a'));
  watches.ensure(base.at('a'), { ino, birth: birthtimeMs });
  assert.equal(watches.isReplaced(base.at('a')), false);
  renameSync(base.at('a'), base.at('b'));
  assert.equal(watches.isReplaced(base.at('a')), true);
  mkdirSync(base.at('a'));
  assert.equal(watches.isReplaced(base.at('a')), true);
  watches.close();
});

test('the system reports the end of a watched folder under its own name', async () => {
  using base = tree({ 'folder/x': '' });
  const changes = new Set<string>();
  const watches = folderWatches((_dir, name, kind) => changes.add(`${kind} ${name}`));
  const { ino, birthtimeMs } = statSync(base.at('folder'));
  watches.ensure(base.at('folder'), { ino, birth: birthtimeMs });
  rmSync(base.at('folder'), { recursive: true });
  await eventually(() => assert.ok(changes.has('rename folder')));
  watches.close();
});

test('the names that decide where a path leads are awaited, each in its folder, which is watched', () => {
  using base = tree({ 'real/x': '' });
  symlinkSync('real', base.at('link'));
  const watches = folderWatches(() => {});
  const awaited = awaitedNames(watches.ensure);
  awaited.follow(base.at('link/skills'));
  assert.deepEqual(
    [awaited.isAwaited(base.path, 'link'), awaited.isAwaited(base.at('real'), 'skills'), watches.size],
    [true, true, 2],
  );
  assert.deepEqual(
    [awaited.isAwaited(base.path, 'skills'), awaited.isIn(base.at('real')), awaited.isIn(base.at('real/x'))],
    [false, true, false],
  );
  awaited.clear();
  assert.equal(awaited.isIn(base.path), false);
  watches.close();
});

test('a link that changes before its folder is watched is not missed', () => {
  using base = tree({ 'one/x': '', 'two/x': '' });
  symlinkSync('one', base.at('link'));
  const watches = folderWatches(
    () => {},
    (dir) => {
      if (dir === base.path) {
        symlinkSync('two', base.at('link~'));
        renameSync(base.at('link~'), base.at('link'));
      }
      return { close: () => {} };
    },
  );
  const awaited = awaitedNames(watches.ensure);
  awaited.follow(base.at('link/skills'));
  assert.ok(awaited.isAwaited(base.at('two'), 'skills'));
});

function stepsIn(base: Tree, path: string): readonly string[] {
  return trailOf(path).map(({ dir, name }) => `${dir.replace(base.path, '')} → ${name}`);
}

test('a path without links is decided by its last name', () => {
  using base = tree({ 'a/b/c.md': '' });
  assert.deepEqual(stepsIn(base, base.at('a/b')), ['/a → b']);
  assert.deepEqual(stepsIn(base, base.at('a/b/c.md')), ['/a/b → c.md']);
});

test('a missing path is decided by its first missing name', () => {
  using base = tree({ 'a/file': '' });
  assert.deepEqual(stepsIn(base, base.at('a/b/c/d')), ['/a → b']);
  assert.deepEqual(stepsIn(base, base.at('a/file/c/d')), ['/a → file']);
});

test('each link on the way counts, relative, absolute and upward ones, with where it leads', () => {
  using base = tree({ 'real/skills/x': '' });
  mkdirSync(base.at('deep/er'), { recursive: true });
  symlinkSync(base.at('real'), base.at('current'));
  symlinkSync('../../current/skills', base.at('deep/er/link'));
  assert.deepEqual(stepsIn(base, base.at('deep/er/link/x')), [
    '/deep/er → link',
    ' → current',
    '/real/skills → x',
  ]);
});

test('a link that leads nowhere is followed to the name that is missing', () => {
  using base = tree({ 'a/x': '' });
  symlinkSync(base.at('b/c/d'), base.at('a/link'));
  assert.deepEqual(stepsIn(base, base.at('a/link')), ['/a → link', ' → b']);
});

test('a loop of links ends', () => {
  using base = tree();
  symlinkSync('two', base.at('one'));
  symlinkSync('one', base.at('two'));
  assert.deepEqual(new Set(stepsIn(base, base.at('one/x'))), new Set([' → one', ' → two']));
});

test('the top of the file system is decided by nothing', () => {
  assert.deepEqual(trailOf('/'), []);
});
