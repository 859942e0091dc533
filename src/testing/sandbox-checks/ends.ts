import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { never, shell, stage, type Open, type Stage } from './stage.ts';

// Writes to a file for as long as it lives.
const beat = 'while :; do echo x >> beats; sleep 0.01; done';

// Ways to go on behind a command, each in the background with its output elsewhere.
const stays = [`nohup sh -c '${beat}'`, `sh -c '(${beat}) &'`, `sh -c "trap '' TERM HUP; ${beat}"`];
const leaves = [`setsid sh -c '${beat}'`, `setsid setsid sh -c '(${beat}) & exit'`];

/** That nothing goes on once a command is over, however it comes to be over. */
export function checkEnds(open: Open, contains: boolean): void {
  const ways = contains ? [...stays, ...leaves] : stays;
  const inBackground = ways.map((way) => `${way} >/dev/null 2>&1 &`).join('\n');
  const untilAllBeat = 'while [ "$(wc -l < beats 2>/dev/null || echo 0)" -lt 20 ]; do sleep 0.01; done';

  test('an endless loop is killed when its time is over, and what it said is kept', async () => {
    await using at = await stage(open);
    const result = await at.run('echo said; while :; do :; done', { timeoutMs: 3_000 });
    assert.deepEqual(result, { exitCode: null, timedOut: true, stdout: 'said\n', stderr: '' });
  });

  test('one that does not listen to reason is killed', async () => {
    await using at = await stage(open);
    const result = await at.run("trap '' TERM; while :; do sleep 1; done", { timeoutMs: 100 });
    assert.equal(result.timedOut, true);
  });

  test('one that listens may clean up', async () => {
    await using at = await stage(open);
    const script = "trap 'echo > cleaned; exit' TERM; echo > ready; while :; do sleep 0.01; done";
    const stop = new AbortController();
    const running = at.sandbox.run(shell(script), stop.signal);
    await isMade(at, 'ready');
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

  test('children in the background end with the time of their command', async () => {
    await using at = await stage(open);
    const result = await at.run(`${inBackground}\n${untilAllBeat}; sleep 3600`, { timeoutMs: 3_000 });
    assert.equal(result.timedOut, true);
    await isSilent(at);
  });

  test('children in the background end when the signal stops their command', async () => {
    await using at = await stage(open);
    const stop = new AbortController();
    const running = at.sandbox.run(
      shell(`${inBackground}\n${untilAllBeat}; echo > ready; sleep 3600`),
      stop.signal,
    );
    await isMade(at, 'ready');
    const reason = new Error('enough');
    stop.abort(reason);
    await assert.rejects(running, reason);
    await isSilent(at);
    await assert.rejects(at.sandbox.run(shell('echo > again'), stop.signal), reason);
    assert.equal(existsSync(join(at.workspace, 'again')), false);
  });

  test('children in the background end when their sandbox is closed, which takes no other command', async () => {
    await using at = await stage(open);
    const running = at.run(`${inBackground}\n${untilAllBeat}; echo > ready; sleep 3600`);
    await isMade(at, 'ready');
    await at.sandbox.close();
    assert.equal((await running).exitCode, null);
    await isSilent(at);
    await assert.rejects(at.run('true'), { code: 'sandbox.unavailable' });
    await assert.rejects(at.sandbox.start(shell('true')), { code: 'sandbox.unavailable' });
    await assert.rejects(at.sandbox.read('ready'), { code: 'sandbox.unavailable' });
    await assert.rejects(at.sandbox.write('more', Buffer.from('')), { code: 'sandbox.unavailable' });
  });

  test('what still writes may finish after its shell has ended', async () => {
    await using at = await stage(open);
    assert.equal(await at.print('(sleep 0.1; echo late) & echo early'), 'early\nlate');
  });

  test('a child that holds the output open keeps nobody waiting', async () => {
    await using at = await stage(open);
    const result = await at.sandbox.run(shell('sleep 3600 & echo over'), never);
    assert.deepEqual(result, { exitCode: 0, stdout: 'over\n', stderr: '' });
  });
}

async function isMade(at: Stage, name: string): Promise<void> {
  while (!existsSync(join(at.workspace, name))) await wait(5);
}

async function isSilent(at: Stage): Promise<void> {
  const read = (): string => readFileSync(join(at.workspace, 'beats'), 'utf8');
  const before = read();
  await wait(60); // several beats of each
  assert.equal(read().length, before.length);
}
