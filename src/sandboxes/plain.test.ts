import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { AgentError } from '../core/error.ts';
import type { Command, Grant, Sandbox } from '../core/sandbox.ts';
import { isGone } from '../../test/support/process-gone.ts';
import { tree } from '../../test/support/tree.ts';
import { createPlainSandboxes } from './plain.ts';

const never = new AbortController().signal;
const path = '/usr/local/bin:/usr/bin:/bin';

function open(write: readonly string[], more: Partial<Grant> = {}): Promise<Sandbox> {
  const grant = { read: [], write, hosts: [], environment: { PATH: path }, ...more };
  return createPlainSandboxes().open(grant);
}

function shell(script: string, more: Partial<Command> = {}): Command {
  return { program: 'sh', arguments: ['-c', script], ...more };
}

describe('a command', { concurrency: true }, () => {
  test('gives what it printed and its exit code, in the folder that was granted', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const result = await sandbox.run(shell('pwd; echo oops >&2; exit 3'), never);
    assert.deepEqual(result, { exitCode: 3, stdout: `${folder.path}\n`, stderr: 'oops\n' });
  });

  test('gets exactly the granted environment', async () => {
    using folder = tree();
    const sandbox = await open([folder.path], { environment: { PATH: path, ONE: 'two' } });
    const { stdout } = await sandbox.run({ program: 'env', arguments: [] }, never);
    assert.deepEqual(stdout.trim().split('\n').sort(), ['ONE=two', `PATH=${path}`]);
  });

  test('reads nothing, or what it is given', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    assert.equal((await sandbox.run({ program: 'cat', arguments: [] }, never)).stdout, '');
    const given = { program: 'cat', arguments: [], stdin: 'héllo' };
    assert.equal((await sandbox.run(given, never)).stdout, 'héllo');
    const unread = { ...shell('exit 0'), stdin: 'x'.repeat(1_000_000) };
    assert.equal((await sandbox.run(unread, never)).exitCode, 0);
  });

  test('passes its words on as they are', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const words = ['$HOME', '`id`', "a'b", '$(id)', 'x; echo y', '*'];
    const result = await sandbox.run({ program: 'printf', arguments: ['%s\\n', ...words] }, never);
    assert.equal(result.stdout, `${words.join('\n')}\n`);
  });

  test('may print more than is kept', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const script = 'echo first; yes 0123456789 | head -c 20000000; echo last; echo short >&2';
    const { stdout, stderr, cut } = await sandbox.run(shell(script), never);
    assert.equal(cut, true);
    assert.ok(/^first\n[^]*left out[^]*last\n$/.test(stdout));
    assert.ok(stdout.length < 100_100);
    assert.equal(stderr, 'short\n');
  });

  test('that runs out of time is ended with its children, and what it said is kept', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const script = 'sleep 60 & echo $!; wait';
    const result = await sandbox.run(shell(script, { timeoutMs: 300 }), never);
    assert.equal(result.timedOut, true);
    assert.equal(result.exitCode, null);
    assert.ok(await isGone(Number(result.stdout)));
  });

  test('that does not listen to reason is killed', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const script = "trap '' TERM; echo $$; while true; do sleep 60; done";
    const result = await sandbox.run(shell(script, { timeoutMs: 200 }), never);
    assert.equal(result.timedOut, true);
    assert.ok(await isGone(Number(result.stdout)));
  });

  test('that ends leaves nothing running, though a child holds its output open', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const { stdout, exitCode } = await sandbox.run(shell('sleep 60 & echo $!'), never);
    assert.equal(exitCode, 0);
    assert.ok(await isGone(Number(stdout)));
  });

  test(
    'keeps nobody waiting by a child that left its group',
    { skip: !existsSync('/usr/bin/setsid') },
    async () => {
      using folder = tree();
      const sandbox = await open([folder.path]);
      const script = "setsid sh -c 'echo $$; exec sleep 60' & sleep 0.2; echo over";
      const { stdout } = await sandbox.run(shell(script), never);
      assert.match(stdout, /^\d+\nover\n$/);
      process.kill(Number.parseInt(stdout, 10), 'SIGKILL');
    },
  );

  test('may finish writing after its shell has ended', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const { stdout } = await sandbox.run(shell('(sleep 0.1; echo late) & echo early'), never);
    assert.equal(stdout, 'early\nlate\n');
  });

  test('is ended by the signal, with its children', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const stop = new AbortController();
    const running = sandbox.run(shell('sleep 60 & echo $! > child; echo > ready; wait'), stop.signal);
    while (!existsSync(folder.at('ready'))) await wait(5);
    const reason = new Error('enough');
    stop.abort(reason);
    await assert.rejects(running, reason);
    assert.ok(await isGone(Number(readFileSync(folder.at('child'), 'utf8'))));
    await assert.rejects(sandbox.run(shell('echo > again'), stop.signal), reason);
    assert.equal(existsSync(folder.at('again')), false);
  });

  test('is ended when its sandbox is closed, which takes no other', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const running = sandbox.run(shell('echo > ready; exec sleep 60'), never);
    while (!existsSync(folder.at('ready'))) await wait(5);
    await sandbox.close();
    assert.equal((await running).exitCode, null);
    await assert.rejects(sandbox.run(shell('true'), never), { code: 'sandbox.unavailable' });
    await assert.rejects(sandbox.read('ready'), { code: 'sandbox.unavailable' });
  });

  test('that cannot be started is said to be so', async () => {
    using folder = tree({ 'file.txt': '' });
    const sandbox = await open([folder.path]);
    const codeOf = (command: Command): Promise<string> =>
      sandbox.run(command, never).then(
        () => 'none',
        (error: unknown) => (error as AgentError).code,
      );
    assert.equal(await codeOf({ program: 'no-such-program', arguments: [] }), 'usage.not-found');
    assert.equal(await codeOf({ program: folder.at('file.txt'), arguments: [] }), 'usage.bad-input');
    assert.equal(await codeOf(shell('true', { arguments: ['-c', 'a\0b'] })), 'usage.bad-input');
    assert.equal(await codeOf(shell('x'.repeat(3_000_000))), 'limit.too-large');
    assert.equal(await codeOf(shell('true', { folder: folder.at('nowhere') })), 'usage.not-found');
    assert.equal(await codeOf(shell('true', { folder: '/' })), 'policy.denied');
  });
});

describe('a live process', { concurrency: true }, () => {
  test('is talked to', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const live = await sandbox.start(shell('while read line; do echo "got $line"; done; echo end >&2'));
    const output = live.output[Symbol.asyncIterator]();
    await live.write(Buffer.from('one\n'));
    const { value } = (await output.next()) as { value: Uint8Array };
    assert.equal(Buffer.from(value).toString(), 'got one\n');
    await live.kill();
    assert.deepEqual(await live.ended, { exitCode: null, stdout: '', stderr: '' });
    await assert.rejects(live.write(Buffer.from('two\n')), { code: 'skill.failed' });
  });

  test('gives all of its output when it is read later', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const live = await sandbox.start(shell('echo one; echo two >&2'));
    const { exitCode, stderr } = await live.ended;
    assert.deepEqual({ exitCode, stderr }, { exitCode: 0, stderr: 'two\n' });
    const pieces: Uint8Array[] = [];
    for await (const piece of live.output) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), 'one\n');
  });

  test('ends with its time and with its sandbox', async () => {
    using folder = tree();
    const sandbox = await open([folder.path]);
    const brief = await sandbox.start(shell('exec sleep 60', { timeoutMs: 100 }));
    assert.equal((await brief.ended).timedOut, true);
    const long = await sandbox.start(shell('exec sleep 60'));
    await sandbox.close();
    assert.equal((await long.ended).exitCode, null);
  });
});

describe('files', () => {
  test('are read and written in the granted folders, by real path', async () => {
    using inside = tree({ 'a.txt': 'a' });
    using bundle = tree({ 'b.txt': 'b' });
    using outside = tree({ 'secret.txt': 'secret' });
    symlinkSync(outside.at('secret.txt'), inside.at('link.txt'));
    symlinkSync(outside.path, inside.at('folder'));
    symlinkSync(outside.at('made.txt'), inside.at('dangling.txt'));
    const sandbox = await open([inside.path], { read: [bundle.path] });
    const read = async (file: string): Promise<string> => Buffer.from(await sandbox.read(file)).toString();
    assert.equal(await read('a.txt'), 'a');
    assert.equal(await read(bundle.at('b.txt')), 'b');
    await sandbox.write('new.txt', Buffer.from('new'));
    assert.equal(await read(inside.at('new.txt')), 'new');
    for (const file of ['link.txt', 'folder/secret.txt', '../x', outside.at('secret.txt')]) {
      const denied = { code: file === '../x' ? 'usage.not-found' : 'policy.denied' };
      await assert.rejects(sandbox.read(file), denied, file);
    }
    for (const file of ['link.txt', 'dangling.txt', 'folder/new.txt', '../new.txt', bundle.at('b.txt')]) {
      await assert.rejects(sandbox.write(file, Buffer.from('x')), { code: 'policy.denied' }, file);
    }
    assert.equal(readFileSync(outside.at('secret.txt'), 'utf8'), 'secret');
    assert.equal(existsSync(outside.at('made.txt')), false);
  });
});

test('a process that exits in the middle takes its commands along', async () => {
  using folder = tree();
  const program = `
    import { createPlainSandboxes } from ${JSON.stringify(import.meta.resolve('./plain.ts'))};
    const grant = { read: [], write: [${JSON.stringify(folder.path)}], hosts: [], environment: { PATH: '${path}' } };
    const sandbox = await createPlainSandboxes().open(grant);
    const live = await sandbox.start({ program: 'sh', arguments: ['-c', 'echo $$; exec sleep 60'] });
    for await (const piece of live.output) { process.stdout.write(piece, () => process.exit(0)); }
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  assert.ok(await isGone(Number(stdout)));
});
