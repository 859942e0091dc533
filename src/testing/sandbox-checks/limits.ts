import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stage, type Open } from './stage.ts';

const mebibyte = 1 << 20;

/** What processes may use together. */
export function checkLimits(open: Open): void {
  test('a process that takes too much memory is killed, and says for what', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 200 * mebibyte } });
    const bombs = ["const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)"];
    for (const bomb of [...bombs, 'const all = []; for (;;) all.push(Buffer.alloc(1 << 22, 1))']) {
      const result = await at.node(`${bomb}; // a deadline is no limit`);
      assert.deepEqual([result.exitCode, result.over], [null, 'memory'], bomb);
    }
  });

  test('processes that take too much memory together are killed', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 300 * mebibyte } });
    const one = `${process.execPath} -e 'const kept = Buffer.alloc(80 << 20, 1); setTimeout(() => kept, 600_000)'`;
    const { over } = await at.run(`for each in 1 2 3 4 5; do ${one} & done; wait`, { timeoutMs: 60_000 });
    assert.equal(over, 'memory');
  });

  test('files in memory count as memory, though no process holds them', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 64 * mebibyte } });
    const fill = 'head -c 31M /dev/zero > /tmp/a; head -c 40M /dev/zero > /dev/shm/b; sleep 3600';
    assert.equal((await at.run(fill, { timeoutMs: 60_000 })).over, 'memory');
  });

  test('the temporary folder is full at some time', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 256 * mebibyte, diskBytes: 8 * mebibyte } });
    const result = await at.run('for each in 1 2 3; do head -c 4M /dev/zero > /tmp/$each || exit 9; done');
    assert.equal(result.exitCode, 9);
    assert.match(result.stderr, /No space left/);
  });

  test('memory that processes share counts once', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 256 * mebibyte } });
    const keep = "kept=$(head -c 40M /dev/zero | tr '\\0' x)";
    const share = 'for each in 1 2 3 4 5 6 7 8; do (sleep 0.5; :) & done; wait; echo ${#kept}';
    const { over, stdout } = await at.run(`${keep}; ${share}`, { timeoutMs: 60_000 });
    assert.deepEqual([over, stdout.trim()], [undefined, String(40 * mebibyte)]);
  });

  test('a flood of processes is killed, and says for what', async () => {
    await using at = await stage(open, { limits: { processes: 40 } });
    const many = 'for each in $(seq 400); do sleep 3600 & done; wait';
    const { exitCode, over } = await at.run(many, { timeoutMs: 60_000 });
    assert.deepEqual([exitCode, over], [null, 'processes']);
    const escaping = 'for each in $(seq 400); do setsid sleep 3600 >/dev/null 2>&1 & done; sleep 3600';
    assert.equal((await at.run(escaping, { timeoutMs: 60_000 })).over, 'processes');
  });

  test('as many processes as are allowed may run', async () => {
    await using at = await stage(open, { limits: { processes: 40 } });
    assert.equal(await at.print('for each in $(seq 25); do sleep 0.3 & done; wait; echo done'), 'done');
  });

  test('no file grows beyond the limit', async () => {
    await using at = await stage(open, { limits: { diskBytes: mebibyte } });
    assert.notEqual((await at.run('head -c 5M /dev/zero > big')).exitCode, 0);
    assert.equal(statSync(join(at.workspace, 'big')).size, mebibyte);
  });
}
