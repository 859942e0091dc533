import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conversation } from '../../core/index.ts';
import { shell, stage, type OpenSandbox, type Stage } from './test-sandbox.ts';

/** Registers tests for processes that exchange messages over file descriptor 3. */
export function checkConversations(open: OpenSandbox): void {
  test('a process sends messages on handle 3, separate from its output', async () => {
    await using at = await stage(open);
    const observed = await converse(
      at,
      'while read line <&3; do echo "got $line" >&3; done; echo out; echo err >&2; cat',
    );
    for (const line of ['one', 'two']) {
      observed.process.send(`${line}\n`);
      await observed.until(() => observed.said().endsWith(`got ${line}\n`));
    }
    assert.deepEqual([observed.stdout(), observed.stderr()], ['', '']);
    await observed.process.kill();
    assert.equal((await observed.process.ended).exitCode, null);
    await observed.until(observed.isClosed);
    observed.process.send('three\n');
    assert.equal(observed.said(), 'got one\ngot two\n');
  });

  test('all output has arrived when a process has ended', async () => {
    await using at = await stage(open);
    const observed = await converse(at, 'echo said >&3; echo out; echo err >&2; exit 5');
    assert.deepEqual(await observed.process.ended, { exitCode: 5, stdout: '', stderr: '' });
    assert.deepEqual([observed.stdout(), observed.stderr()], ['out\n', 'err\n']);
    await observed.until(observed.isClosed);
    assert.equal(observed.said(), 'said\n');
  });

  test('a process can close its handle 3 and keep running', async () => {
    await using at = await stage(open);
    const observed = await converse(at, 'exec 3>&-; sleep 0.05; echo > went-on; exec sleep 3600');
    while ((await at.print('ls')) !== 'went-on');
    observed.process.send('one\n');
    await at.sandbox.close();
    assert.equal((await observed.process.ended).exitCode, null);
    await observed.until(observed.isClosed);
  });

  test('a flood on handle 3 arrives without disturbing other processes', async () => {
    await using at = await stage(open);
    const flood = await converse(at, 'exec yes 0123456789 >&3');
    const other = await converse(at, 'read line <&3; echo "got $line" >&3');
    other.process.send('one\n');
    await other.until(() => other.said() === 'got one\n');
    await flood.until(() => flood.said().length > 5_000_000);
    await flood.process.kill();
    assert.equal((await other.process.ended).exitCode, 0);
  });

  test('a process that does not read its messages gets no more', async () => {
    await using at = await stage(open);
    const observed = await converse(at, 'exec sleep 3600');
    const much = 'x'.repeat(2 ** 24);
    for (let times = 0; times < 10; times += 1) observed.process.send(much);
    await observed.until(observed.isClosed);
    await observed.process.kill();
  });

  test('plain commands have no handle 3', async () => {
    await using at = await stage(open);
    const look = 'if { true >&3; } 2>/dev/null; then echo open; else echo closed; fi';
    assert.equal(await at.print(look), 'closed');
    assert.equal(await at.print(look, { stdin: 'x' }), 'closed');
  });
}

interface ObservedProcess {
  readonly process: Conversation;
  said(): string;
  stdout(): string;
  stderr(): string;
  isClosed(): boolean;
  /** Waits until a condition is true. Checks the condition after each message or piece of output. */
  until(holds: () => boolean): Promise<void>;
}

async function converse(at: Stage, script: string): Promise<ObservedProcess> {
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

/** Registers tests for processes that keep running and receive input while they run. */
export function checkLive(open: OpenSandbox): void {
  test('a live process gets input, and is killed', async () => {
    await using at = await stage(open);
    const live = await at.sandbox.start(shell('while read line; do echo "got $line"; done'));
    const output = live.output[Symbol.asyncIterator]();
    for (const line of ['one', 'two']) {
      await live.write(Buffer.from(`${line}\n`));
      const { value } = (await output.next()) as { value: Uint8Array };
      assert.equal(Buffer.from(value).toString(), `got ${line}\n`);
    }
    await live.kill();
    assert.deepEqual(await live.ended, { exitCode: null, stdout: '', stderr: '' });
    await assert.rejects(live.write(Buffer.from('three\n')), { code: 'skill.failed' });
  });

  test('a live process reads the end of its input, and keeps running', async () => {
    await using at = await stage(open);
    const live = await at.sandbox.start(shell('cat; echo over; exit 4'));
    await live.write(Buffer.from('all\n'));
    live.hold(false); // Simulates the pause between two uses of the process.
    live.hold(true);
    live.end();
    const pieces: Uint8Array[] = [];
    for await (const piece of live.output) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), 'all\nover\n');
    assert.equal((await live.ended).exitCode, 4);
    await assert.rejects(live.write(Buffer.from('more')), { code: 'skill.failed' });
  });

  test('the output of a live process is complete when read later', async () => {
    await using at = await stage(open);
    const live = await at.sandbox.start(shell('echo one; echo two >&2; exit 5'));
    const { exitCode, stderr } = await live.ended;
    assert.deepEqual({ exitCode, stderr }, { exitCode: 5, stderr: 'two\n' });
    const pieces: Uint8Array[] = [];
    for await (const piece of live.output) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), 'one\n');
  });

  test('a live process ends at its timeout and with its sandbox', async () => {
    await using at = await stage(open);
    const brief = await at.sandbox.start(shell('exec sleep 3600', { timeoutMs: 100 }));
    assert.equal((await brief.ended).timedOut, true);
    const long = await at.sandbox.start(shell('exec sleep 3600'));
    await at.sandbox.close();
    assert.equal((await long.ended).exitCode, null);
  });
}
