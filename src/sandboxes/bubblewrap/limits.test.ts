import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import type { ProcessResult } from '../../core/sandbox.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';

const mebibyte = 1 << 20;
const provider = createProcessSandboxes();
const [read, mmap, munmap, madvise, access] =
  process.arch === 'x64' ? [0, 9, 11, 28, 269] : [63, 222, 215, 233, 48];

/** Runs Perl code in a sandbox with a memory limit. The code can map, fill, drop and unmap memory. */
async function runPerl(code: string, memoryBytes = 300 * mebibyte): Promise<ProcessResult> {
  const subs = `use strict;
    my $size = ${100 * mebibyte};
    open my $zero, "+<", "/dev/zero" or die;
    sub map_memory { my ($flags, $file) = @_; syscall ${mmap}, 0, $size, 3, $flags, $file, 0 }
    sub fill { syscall(${read}, fileno $zero, $_[0], $size) == $size or die "read: $!" }
    sub drop { syscall(${madvise}, $_[0], $size, 4) == 0 or die "madvise: $!" }
    sub unmap { syscall(${munmap}, $_[0] + $_[1], $_[2]) == 0 or die "munmap: $!" }
    $| = 1;
    `;
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const sandbox = await provider.open({
    read: [],
    write: [],
    hosts: [],
    environment,
    limits: { memoryBytes },
  });
  try {
    const command = { program: 'perl', arguments: ['-e', subs + code], timeoutMs: 60_000 };
    return await sandbox.run(command, new AbortController().signal);
  } finally {
    await sandbox.close();
  }
}

const shared = 'map_memory(0x21, -1)';

describe('the memory limit', { skip: withoutBubblewrap }, () => {
  test('counts shared memory whose pages a program dropped', async () => {
    const result = await runPerl(`for (1 .. 6) { my $at = ${shared}; fill $at; drop $at } sleep 3600`);
    assert.deepEqual([result.exitCode, result.over], [null, 'memory'], result.stderr);
  });

  test('counts dropped pages of memory that is mapped from /dev/zero', async () => {
    const map = 'map_memory(1, fileno $zero)';
    const result = await runPerl(`for (1 .. 6) { my $at = ${map}; fill $at; drop $at } sleep 3600`);
    assert.equal(result.over, 'memory', result.stderr);
  });

  test('counts shared memory and files in memory together', async () => {
    const file = 'open my $f, ">", "/tmp/f"; print $f "x" x 1048576 for 1 .. 120; close $f';
    const result = await runPerl(
      `${file}; for (1 .. 2) { my $at = ${shared}; fill $at; drop $at } sleep 3600`,
    );
    assert.equal(result.over, 'memory', result.stderr);
  });

  test('counts shared memory whose last page alone stays mapped', async () => {
    const most = 'unmap $at, 0, $size - 4096';
    const result = await runPerl(`for (1 .. 6) { my $at = ${shared}; fill $at; ${most} } sleep 3600`);
    assert.equal(result.over, 'memory', result.stderr);
  });

  const isRoot = process.getuid?.() === 0;
  const skip = isRoot ? false : 'only root can ask the kernel for the memory of a mapping';
  test('counts shared memory whose first page alone stays mapped', { skip }, async () => {
    const most = 'unmap $at, 4096, $size - 4096';
    const result = await runPerl(`for (1 .. 6) { my $at = ${shared}; fill $at; ${most} } sleep 3600`);
    assert.equal(result.over, 'memory', result.stderr);
  });

  test('does not count shared memory that was freed', async () => {
    const result = await runPerl(
      `for (1 .. 6) { my $at = ${shared}; fill $at; unmap $at, 0, $size } print "end"`,
    );
    assert.deepEqual([result.over, result.stdout], [undefined, 'end'], result.stderr);
  });

  test('does not count shared memory that a program only reserves', { skip }, async () => {
    const result = await runPerl(`for (1 .. 60) { ${shared} } select undef, undef, undef, 0.5; print "end"`);
    assert.deepEqual([result.over, result.stdout], [undefined, 'end'], result.stderr);
  });

  test('counts private memory that forks share only once', async () => {
    const forks = 'for (1 .. 5) { fork or do { sleep 1; exit } } 1 while wait > 0';
    const result = await runPerl(`fill map_memory(0x22, -1); ${forks}; print "end"`);
    assert.deepEqual([result.over, result.stdout], [undefined, 'end'], result.stderr);
  });

  test('counts page tables', async () => {
    // Each access to another 2 MiB of a sparse mapping makes the kernel allocate a table of 4 KiB.
    const reserve = `my $at = syscall ${mmap}, 0, 2 ** 36, 3, 0x4022, -1, 0`;
    const touch = `for my $i (0 .. 2 ** 15 - 1) { syscall ${access}, -100, $at + $i * 2 ** 21, 0, 0 }`;
    const result = await runPerl(`${reserve}; ${touch} sleep 3600`, 64 * mebibyte);
    assert.equal(result.over, 'memory', result.stderr);
  });
});
