import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../../test/support/deadline.ts';
import { tree } from '../../test/support/tree.ts';
import type { Identity } from './fingerprint.ts';
import { folderWatches, type StartWatch } from './folder-watches.ts';

const one: Identity = { ino: 1, birth: 1 };

/** Watches that are only counted. */
function counted(): {
  readonly start: StartWatch;
  readonly log: string[];
  fault: string;
  fail: (dir: string) => void;
} {
  const log: string[] = [];
  const errors = new Map<string, () => void>();
  const made = {
    log,
    fault: '',
    fail: (dir: string) => errors.get(dir)?.(),
    start: ((dir, _onEvent, onError) => {
      if (made.fault !== '') throw Object.assign(new Error('no watch'), { code: made.fault });
      log.push(`+${dir}`);
      errors.set(dir, onError);
      return { close: () => log.push(`-${dir}`) };
    }) satisfies StartWatch,
  };
  return made;
}

test('a folder is watched once, and anew when another folder took its place', () => {
  const { start, log } = counted();
  const watches = folderWatches(() => {}, start);
  assert.equal(watches.ensure('/a', one), 'started');
  assert.equal(watches.ensure('/a', one), 'kept');
  assert.equal(watches.ensure('/a', { ino: 2, birth: 1 }), 'replaced');
  assert.equal(watches.ensure('/a', { ino: 2, birth: 5 }), 'replaced', 'an inode that was used again');
  assert.deepEqual(log, ['+/a', '-/a', '+/a', '-/a', '+/a']);
});

test('a doubted watch is set anew when the folder is next ensured', () => {
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

test('a folder that is gone or not ours to read is no reason to stop watching', () => {
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
  const seen: unknown[] = [];
  const watches = folderWatches((dir, name) => seen.push([dir, name]), system.start);
  watches.ensure('/a', one);
  system.fail('/a');
  assert.deepEqual(seen, [['/a', undefined]]);
  assert.equal(watches.ensure('/a', one), 'started');
});

test('watches of unwanted folders end, and closing ends all', () => {
  const { start, log } = counted();
  const watches = folderWatches(() => {}, start);
  for (const dir of ['/a', '/b', '/c']) watches.ensure(dir, one);
  watches.keep((dir) => dir !== '/b');
  assert.deepEqual(log.slice(3), ['-/b']);
  watches.close();
  assert.deepEqual(log.slice(4), ['-/a', '-/c']);
  assert.equal(watches.size, 0);
});

test('a watched folder that was moved away or replaced is told from one that is still there', () => {
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
  const seen = new Set<string>();
  const watches = folderWatches((_dir, name, kind) => seen.add(`${kind} ${name}`));
  const { ino, birthtimeMs } = statSync(base.at('folder'));
  watches.ensure(base.at('folder'), { ino, birth: birthtimeMs });
  rmSync(base.at('folder'), { recursive: true });
  await eventually(() => assert.ok(seen.has('rename folder')));
  watches.close();
});
