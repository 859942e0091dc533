import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { createMemoryGroup, findParentIn } from './memory-group.ts';

const mountedAt = (top: string, root = '/'): string =>
  `25 1 0:22 / /proc rw - proc proc rw\n31 25 0:27 ${root} ${top} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n`;

test('finds the group around its own one, if that limits the memory of its groups', () => {
  using files = tree({
    'slice/cgroup.subtree_control': 'memory pids\n',
    'slice/own/cgroup.subtree_control': '\n',
    'other/cgroup.subtree_control': 'pids\n',
    'other/own/cgroup.procs': '',
  });
  const mounts = mountedAt(files.path);
  assert.equal(findParentIn('1:name=x:/\n0::/slice/own\n', mounts), files.at('slice'));
  assert.equal(findParentIn('0::/other/own\n', mounts), undefined);
  assert.equal(findParentIn('0::/\n', mounts), undefined, 'never above the mounted folder');
  assert.equal(findParentIn('0::/outer/slice/own\n', mountedAt(files.path, '/outer')), files.at('slice'));
  assert.equal(findParentIn('0::/slice/own\n', mountedAt(files.path, '/outer')), undefined);
});

test('finds none where only version 1 limits memory', () => {
  using files = tree({});
  assert.equal(
    findParentIn('4:memory:/a\n0::/\n', '32 25 0:28 / /x rw - cgroup cgroup rw,memory\n'),
    undefined,
  );
  assert.equal(findParentIn('4:memory:/a\n', mountedAt(files.path)), undefined);
});

test('a group has the limit, ends all its processes together and reports when the kernel did so', () => {
  using files = tree({});
  const group = createMemoryGroup(800, files.path) ?? assert.fail();
  group.add(4711);
  const [name = ''] = readdirSync(files.path);
  const read = (file: string): string => readFileSync(join(files.path, name, file), 'utf8');
  const written = ['memory.max', 'memory.oom.group', 'memory.swap.max', 'cgroup.procs'].map(read);
  assert.deepEqual(written, ['900', '1', '0', '4711']);
  const events = (kills: number): void =>
    writeFileSync(
      join(files.path, name, 'memory.events'),
      `max 9\noom 1\noom_kill ${kills}\noom_group_kill 0\n`,
    );
  assert.equal(group.isOver(), false);
  events(0);
  assert.equal(group.isOver(), false);
  events(12);
  assert.equal(group.isOver(), true);
});

test('a group reports its shared memory, if the kernel counts it', () => {
  using files = tree({});
  const group = createMemoryGroup(800, files.path) ?? assert.fail();
  assert.equal(group.sharedBytes(), undefined);
  const [name = ''] = readdirSync(files.path);
  writeFileSync(join(files.path, name, 'memory.stat'), 'anon 1\nfile 5\nshmem 4096\nshmem_thp 2\n');
  assert.equal(group.sharedBytes(), 4096);
});

test('there is no group where the kernel refuses it', () => {
  using files = tree({ file: 'x' });
  assert.equal(createMemoryGroup(800, files.at('none')), undefined);
  assert.equal(createMemoryGroup(800, files.at('file')), undefined);
});

test('groups of ended processes are deleted, and those of running processes are not', () => {
  using files = tree({ 'slice/cgroup.subtree_control': 'memory\n' });
  const [running, ended] = [`slice/skilled-${process.pid}-a`, 'slice/skilled-999999999-b'];
  for (const name of [running, ended]) mkdirSync(files.at(name));
  findParentIn('0::/slice/own\n', mountedAt(files.path));
  assert.deepEqual(
    [running, ended].map((name) => existsSync(files.at(name))),
    [true, false],
  );
});
