import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { sharedMemoryOf, type MappedProcess } from './shared-memory.ts';

const mebibyte = 1 << 20;
const maps = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const object = (range: string, offset: string, inode: number, name = '/dev/zero (deleted)'): string =>
  `${range} rw-s ${offset} 00:01 ${inode}                       ${name}`;

async function bytesOf(
  processes: readonly MappedProcess[],
  allocated: () => number = () => 99 * mebibyte,
): Promise<number> {
  return (await sharedMemoryOf(processes, allocated)).bytes;
}

test('memory that processes share counts once, up to its last mapped page', async () => {
  using files = tree({
    '1/maps': maps(
      object('7f0000000000-7f0000100000', '00000000', 7),
      '7f1-7f2 rw-p 00000000 00:00 0 [heap]',
    ),
    '2/maps': maps(object('7f0000000000-7f0000100000', '00100000', 7), object('10000-20000', '00000000', 8)),
  });
  const processes = ['1', '2', '3'].map((id) => ({ folder: files.at(id), atMost: 99 }));
  assert.equal(await bytesOf(processes), 2 * mebibyte + 0x10000);
});

test('renamed mappings, segments and unnamed files count, and files on disk do not', async () => {
  using files = tree({
    '1/maps': maps(
      object('10000-20000', '00000000', 1, '[anon_shmem:mine]'),
      object('10000-20000', '00000000', 1, '/SYSV00000000 (deleted)'),
      object('10000-20000', '00000000', 2, '/memfd:x (deleted)'),
      object('10000-20000', '00000000', 3, '/home/user/dev/zero'),
    ),
  });
  assert.equal(await bytesOf([{ folder: files.at('1'), atMost: 99 }]), 3 * 0x10000);
});

test('memory that a program only reserves counts up to what the kernel has allocated', async () => {
  using files = tree({ '1/maps': maps(object('7f0000000000-7f0400000000', '00000000', 7)) });
  const processes = [
    { folder: files.at('1'), atMost: 0 },
    { folder: files.at('1/maps'), atMost: 99 * mebibyte },
  ];
  assert.equal(await bytesOf(processes, () => 3 * mebibyte), 3 * mebibyte);
});

test('reads at most 8 MiB of mappings, and counts the estimates of further processes', async () => {
  const line = object('10000-20000', '00000000', 7);
  using files = tree({ '1/maps': maps(line), '2/maps': 'x'.repeat(8 * mebibyte), '3/maps': maps(line) });
  const processes = ['1', '2', '3'].map((id) => ({ folder: files.at(id), atMost: 1 }));
  assert.equal(await bytesOf(processes, () => mebibyte), 0x10000 + 2);
});

test('the estimate of a process counts if its mappings cannot be read', async () => {
  using files = tree({ '1/maps/file': 'a folder cannot be read as a file' });
  assert.equal(await bytesOf([{ folder: files.at('1'), atMost: 99 }]), 99);
});
