import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pause } from '../../core/index.ts';
import { never, shell, stage, type OpenSandbox, type Stage } from './test-sandbox.ts';

const mebibyte = 1 << 20;

/** Registers tests for the resource limits of processes. */
export function checkLimits(open: OpenSandbox): void {
  test('a process with too much memory is killed, with the reason', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 200 * mebibyte } });
    const bombs = ["const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)"];
    for (const bomb of [...bombs, 'const all = []; for (;;) all.push(Buffer.alloc(1 << 22, 1))']) {
      const result = await at.node(`${bomb}; // a deadline does not limit this`);
      assert.deepEqual([result.exitCode, result.over], [null, 'memory'], bomb);
    }
  });

  test('processes with too much memory together are killed', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 300 * mebibyte } });
    const one = `${process.execPath} -e 'const kept = Buffer.alloc(80 << 20, 1); setTimeout(() => kept, 600_000)'`;
    const { over } = await at.run(`for each in 1 2 3 4 5; do ${one} & done; wait`, { timeoutMs: 60_000 });
    assert.equal(over, 'memory');
  });

  test('files in memory count as memory, even if no process holds them', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 64 * mebibyte } });
    const fill = 'head -c 31M /dev/zero > /tmp/a; head -c 40M /dev/zero > /dev/shm/b; sleep 3600';
    assert.equal((await at.run(fill, { timeoutMs: 60_000 })).over, 'memory');
  });

  test('the temporary folder has a limit', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 256 * mebibyte, diskBytes: 8 * mebibyte } });
    const result = await at.run('for each in 1 2 3; do head -c 4M /dev/zero > /tmp/$each || exit 9; done');
    assert.equal(result.exitCode, 9);
    assert.match(result.stderr, /No space left/);
  });

  test('shared memory counts once', async () => {
    await using at = await stage(open, { limits: { memoryBytes: 256 * mebibyte } });
    const allocate = "kept=$(head -c 40M /dev/zero | tr '\\0' x)";
    const share = 'for each in 1 2 3 4 5 6 7 8; do (sleep 0.5; :) & done; wait; echo ${#kept}';
    const { over, stdout } = await at.run(`${allocate}; ${share}`, { timeoutMs: 60_000 });
    assert.deepEqual([over, stdout.trim()], [undefined, String(40 * mebibyte)]);
  });

  test('too many processes are killed, with the reason', async () => {
    await using at = await stage(open, { limits: { processes: 40 } });
    const many = 'for each in $(seq 400); do sleep 3600 & done; wait';
    const { exitCode, over } = await at.run(many, { timeoutMs: 60_000 });
    assert.deepEqual([exitCode, over], [null, 'processes']);
    const escaping = 'for each in $(seq 400); do setsid sleep 3600 >/dev/null 2>&1 & done; sleep 3600';
    assert.equal((await at.run(escaping, { timeoutMs: 60_000 })).over, 'processes');
  });

  test('processes within the limit run', async () => {
    await using at = await stage(open, { limits: { processes: 40 } });
    assert.equal(await at.print('for each in $(seq 25); do sleep 0.3 & done; wait; echo done'), 'done');
  });

  test('no file exceeds the limit', async () => {
    await using at = await stage(open, { limits: { diskBytes: mebibyte } });
    assert.notEqual((await at.run('head -c 5M /dev/zero > big')).exitCode, 0);
    assert.equal(statSync(join(at.workspace, 'big')).size, mebibyte);
  });
}

// A script that keeps writing to a file until it is killed.
const beat = 'while :; do echo x >> beats; sleep 0.01; done';

// Scripts that try to outlive the command that starts them in the background with redirected output.
const stays = [`nohup sh -c '${beat}'`, `sh -c '(${beat}) &'`, `sh -c "trap '' TERM HUP; ${beat}"`];
const leaves = [`setsid sh -c '${beat}'`, `setsid setsid sh -c '(${beat}) & exit'`];

/** Registers tests that check that no process outlives its command, no matter how the command ends. */
export function checkEnds(open: OpenSandbox, contains: boolean): void {
  const ways = contains ? [...stays, ...leaves] : stays;
  const inBackground = ways.map((way) => `${way} >/dev/null 2>&1 &`).join('\n');
  const untilAllBeat = 'while [ "$(wc -l < beats 2>/dev/null || echo 0)" -lt 20 ]; do sleep 0.01; done';

  test('an endless loop is killed at its timeout, and its output is kept', async () => {
    await using at = await stage(open);
    const result = await at.run('echo said; while :; do :; done', { timeoutMs: 3_000 });
    assert.deepEqual(result, { exitCode: null, timedOut: true, stdout: 'said\n', stderr: '' });
  });

  test('a command that ignores SIGTERM is killed', async () => {
    await using at = await stage(open);
    const result = await at.run("trap '' TERM; while :; do sleep 1; done", { timeoutMs: 100 });
    assert.equal(result.timedOut, true);
  });

  test('a command that handles SIGTERM can clean up', async () => {
    await using at = await stage(open);
    const script = "trap 'echo > cleaned; exit' TERM; echo > ready; while :; do sleep 0.01; done";
    const stop = new AbortController();
    const running = at.sandbox.run(shell(script), stop.signal);
    await awaitFile(at, 'ready');
    stop.abort();
    await assert.rejects(running);
    assert.ok(existsSync(join(at.workspace, 'cleaned')));
  });

  test('children in the background end with their command', async () => {
    await using at = await stage(open);
    const { exitCode } = await at.run(`${inBackground}\n${untilAllBeat}`);
    assert.equal(exitCode, 0);
    await isSilent(at);
  });

  test('children in the background end with the timeout of their command', async () => {
    await using at = await stage(open);
    const result = await at.run(`${inBackground}\n${untilAllBeat}; sleep 3600`, { timeoutMs: 3_000 });
    assert.equal(result.timedOut, true);
    await isSilent(at);
  });

  test('children in the background end when their command is aborted', async () => {
    await using at = await stage(open);
    const stop = new AbortController();
    const running = at.sandbox.run(
      shell(`${inBackground}\n${untilAllBeat}; echo > ready; sleep 3600`),
      stop.signal,
    );
    await awaitFile(at, 'ready');
    const reason = new Error('enough');
    stop.abort(reason);
    await assert.rejects(running, reason);
    await isSilent(at);
    await assert.rejects(at.sandbox.run(shell('echo > again'), stop.signal), reason);
    assert.equal(existsSync(join(at.workspace, 'again')), false);
  });

  test('closing the sandbox ends children in the background and refuses new commands', async () => {
    await using at = await stage(open);
    const running = at.run(`${inBackground}\n${untilAllBeat}; echo > ready; sleep 3600`);
    await awaitFile(at, 'ready');
    await at.sandbox.close();
    assert.equal((await running).exitCode, null);
    await isSilent(at);
    await assert.rejects(at.run('true'), { code: 'sandbox.unavailable' });
    await assert.rejects(at.sandbox.start(shell('true')), { code: 'sandbox.unavailable' });
    await assert.rejects(at.sandbox.read('ready'), { code: 'sandbox.unavailable' });
    await assert.rejects(at.sandbox.write('more', Buffer.from('')), { code: 'sandbox.unavailable' });
  });

  test('a background writer can finish after its shell has ended', async () => {
    await using at = await stage(open);
    assert.equal(await at.print('(sleep 0.1; echo late) & echo early'), 'early\nlate');
  });

  test('a child that keeps the output open does not block the result', async () => {
    await using at = await stage(open);
    const result = await at.sandbox.run(shell('sleep 3600 & echo over'), never);
    assert.deepEqual(result, { exitCode: 0, stdout: 'over\n', stderr: '' });
  });
}

async function awaitFile(at: Stage, name: string): Promise<void> {
  while (!existsSync(join(at.workspace, name))) await pause(5);
}

async function isSilent(at: Stage): Promise<void> {
  const read = (): string => readFileSync(join(at.workspace, 'beats'), 'utf8');
  const before = read();
  await pause(60); // The script writes several times during this pause.
  assert.equal(read().length, before.length);
}
