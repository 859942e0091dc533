import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conversation } from '../../core/index.ts';
import { shell, stage, type OpenSandbox, type Stage } from './test-sandbox.ts';

/** Processes that are talked with on their handle 3. */
export function checkConversations(open: OpenSandbox): void {
  test('a process speaks on its handle 3, apart from what it prints', async () => {
    await using at = await stage(open);
    const heard = await converse(
      at,
      'while read line <&3; do echo "got $line" >&3; done; echo out; echo err >&2; cat',
    );
    for (const word of ['one', 'two']) {
      heard.process.send(`${word}\n`);
      await heard.until(() => heard.said().endsWith(`got ${word}\n`));
    }
    assert.deepEqual([heard.stdout(), heard.stderr()], ['', '']);
    await heard.process.kill();
    assert.equal((await heard.process.ended).exitCode, null);
    await heard.until(heard.isClosed);
    heard.process.send('three\n');
    assert.equal(heard.said(), 'got one\ngot two\n');
  });

  test('what a process printed has been heard when it has ended', async () => {
    await using at = await stage(open);
    const heard = await converse(at, 'echo said >&3; echo out; echo err >&2; exit 5');
    assert.deepEqual(await heard.process.ended, { exitCode: 5, stdout: '', stderr: '' });
    assert.deepEqual([heard.stdout(), heard.stderr()], ['out\n', 'err\n']);
    await heard.until(heard.isClosed);
    assert.equal(heard.said(), 'said\n');
  });

  test('a process may close its handle 3 and go on', async () => {
    await using at = await stage(open);
    const heard = await converse(at, 'exec 3>&-; sleep 0.05; echo > went-on; exec sleep 3600');
    while ((await at.print('ls')) !== 'went-on');
    heard.process.send('one\n');
    await at.sandbox.close();
    assert.equal((await heard.process.ended).exitCode, null);
    await heard.until(heard.isClosed);
  });

  test('a flood on handle 3 is heard, and disturbs nobody else', async () => {
    await using at = await stage(open);
    const flood = await converse(at, 'exec yes 0123456789 >&3');
    const other = await converse(at, 'read line <&3; echo "got $line" >&3');
    other.process.send('one\n');
    await other.until(() => other.said() === 'got one\n');
    await flood.until(() => flood.said().length > 5_000_000);
    await flood.process.kill();
    assert.equal((await other.process.ended).exitCode, 0);
  });

  test('one that does not read what it is told is not told more', async () => {
    await using at = await stage(open);
    const heard = await converse(at, 'exec sleep 3600');
    const much = 'x'.repeat(2 ** 24);
    for (let times = 0; times < 10; times += 1) heard.process.send(much);
    await heard.until(heard.isClosed);
    await heard.process.kill();
  });

  test('commands that are not talked with have no handle 3', async () => {
    await using at = await stage(open);
    const look = 'if { true >&3; } 2>/dev/null; then echo open; else echo closed; fi';
    assert.equal(await at.print(look), 'closed');
    assert.equal(await at.print(look, { stdin: 'x' }), 'closed');
  });
}

interface Heard {
  readonly process: Conversation;
  said(): string;
  stdout(): string;
  stderr(): string;
  isClosed(): boolean;
  /** Waits until something holds, looking at every word. */
  until(holds: () => boolean): Promise<void>;
}

async function converse(at: Stage, script: string): Promise<Heard> {
  const texts = { said: '', stdout: '', stderr: '' };
  let isClosed = false;
  let wake = (): void => undefined;
  const hear = (which: keyof typeof texts) => (bytes: Uint8Array) => {
    texts[which] += Buffer.from(bytes).toString();
    wake();
  };
  const process = await at.sandbox.converse(shell(script), {
    onMessage: hear('said'),
    onStdout: hear('stdout'),
    onStderr: hear('stderr'),
    onClosed() {
      isClosed = true;
      wake();
    },
  });
  return {
    process,
    said: () => texts.said,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    isClosed: () => isClosed,
    async until(holds) {
      while (!holds()) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

/** Processes that go on, and are talked to. */
export function checkLive(open: OpenSandbox): void {
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
