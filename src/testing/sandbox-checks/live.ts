import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shell, stage, type Open } from './stage.ts';

/** Processes that go on, and are talked to. */
export function checkLive(open: Open): void {
  test('a live process is talked to, and killed', async () => {
    await using at = await stage(open);
    const live = await at.sandbox.start(shell('while read line; do echo "got $line"; done'));
    const output = live.output[Symbol.asyncIterator]();
    for (const word of ['one', 'two']) {
      await live.write(Buffer.from(`${word}\n`));
      const { value } = (await output.next()) as { value: Uint8Array };
      assert.equal(Buffer.from(value).toString(), `got ${word}\n`);
    }
    await live.kill();
    assert.deepEqual(await live.ended, { exitCode: null, stdout: '', stderr: '' });
    await assert.rejects(live.write(Buffer.from('three\n')), { code: 'skill.failed' });
  });

  test('a live process reads the end of what is written, and goes on by itself', async () => {
    await using at = await stage(open);
    const live = await at.sandbox.start(shell('cat; echo over; exit 4'));
    await live.write(Buffer.from('all\n'));
    live.hold(false); // as one does that waits for its next use
    live.hold(true);
    live.end();
    const pieces: Uint8Array[] = [];
    for await (const piece of live.output) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), 'all\nover\n');
    assert.equal((await live.ended).exitCode, 4);
    await assert.rejects(live.write(Buffer.from('more')), { code: 'skill.failed' });
  });

  test('a live process gives all of its output when it is read later', async () => {
    await using at = await stage(open);
    const live = await at.sandbox.start(shell('echo one; echo two >&2; exit 5'));
    const { exitCode, stderr } = await live.ended;
    assert.deepEqual({ exitCode, stderr }, { exitCode: 5, stderr: 'two\n' });
    const pieces: Uint8Array[] = [];
    for await (const piece of live.output) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), 'one\n');
  });

  test('a live process ends with its time and with its sandbox', async () => {
    await using at = await stage(open);
    const brief = await at.sandbox.start(shell('exec sleep 3600', { timeoutMs: 100 }));
    assert.equal((await brief.ended).timedOut, true);
    const long = await at.sandbox.start(shell('exec sleep 3600'));
    await at.sandbox.close();
    assert.equal((await long.ended).exitCode, null);
  });
}
