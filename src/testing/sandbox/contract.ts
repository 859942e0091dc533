import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentError, ProcessCommand, Grant, Sandbox } from '../../core/index.ts';
import { checkConfinement, checkFiles } from './confinement.ts';
import { checkEnds, checkLimits } from './limits.ts';
import { checkConversations, checkLive } from './live-process.ts';
import { checkNetwork } from './network.ts';
import { never, path, shell, stage, type OpenSandbox } from './test-sandbox.ts';

/** The guarantees that a kind of sandbox makes. */
export interface SandboxPromises {
  /** Whether processes can access only the granted resources and are subject to resource limits. */
  readonly contains: boolean;
}

/**
 * Registers the tests that every sandbox must pass. Each test closes its sandbox. Requires Linux or macOS.
 */
export function sandboxContract(
  name: string,
  open: (grant: Grant) => Promise<Sandbox>,
  { contains }: SandboxPromises,
): void {
  describe(`the ${name} sandbox keeps the contract`, { concurrency: 4 }, () => {
    checkCommands(open);
    checkEnds(open, contains);
    checkLive(open);
    checkConversations(open);
    checkFiles(open);
    if (!contains) return;
    checkConfinement(open);
    checkNetwork(open);
    checkLimits(open);
  });
}

/** Registers tests for the input and the results of commands. */
function checkCommands(open: OpenSandbox): void {
  test('a command returns its output and exit code, in the granted folder', async () => {
    await using at = await stage(open);
    const result = await at.run('pwd; echo oops >&2; exit 3');
    assert.deepEqual(result, { exitCode: 3, stdout: `${at.workspace}\n`, stderr: 'oops\n' });
  });

  test('a command killed by a signal has no exit code, or that of a shell', async () => {
    await using at = await stage(open);
    const { exitCode } = await at.run('kill -KILL $$');
    assert.ok(exitCode === null || exitCode === 137, String(exitCode));
  });

  test('a command gets the granted variables, and none from the host', async () => {
    await using at = await stage(open, { environment: { PATH: path, ONE: 'two', SPACED: ' a\nb ' } });
    const { stdout } = await at.node('process.stdout.write(JSON.stringify(process.env))');
    const own = ['HOME', 'TMPDIR', 'USER', 'PWD', 'OLDPWD', 'SHLVL', '_'];
    const found = Object.entries(JSON.parse(stdout) as Record<string, string>);
    assert.deepEqual(Object.fromEntries(found.filter(([name]) => !own.includes(name))), {
      PATH: path,
      ONE: 'two',
      SPACED: ' a\nb ',
    });
  });

  test('stdin is empty, or the given text', async () => {
    await using at = await stage(open);
    assert.equal(await at.print('cat'), '');
    assert.equal(await at.print('cat', { stdin: 'héllo' }), 'héllo');
    assert.equal((await at.run('wc -c', { stdin: 'x'.repeat(1_000_000) })).stdout.trim(), '1000000');
    assert.equal((await at.run('exit 0', { stdin: 'x'.repeat(1_000_000) })).exitCode, 0);
  });

  test('arguments are passed unchanged', async () => {
    await using at = await stage(open);
    const args = ['$HOME', '`id`', "a'b", '$(id)', 'x; echo y', '*', '', '--bind', '-n'];
    const command = { program: 'printf', arguments: ['%s|', ...args] };
    assert.equal((await at.sandbox.run(command, never)).stdout, args.map((arg) => `${arg}|`).join(''));
  });

  test('too much output is cut in the middle', async () => {
    await using at = await stage(open);
    const script = 'echo first; yes 0123456789 | head -c 20000000; echo last; echo short >&2';
    const { stdout, stderr, cut } = await at.run(script);
    assert.equal(cut, true);
    assert.ok(/^first\n[^]*left out[^]*last\n$/.test(stdout));
    assert.ok(stdout.length < 1_000_000);
    assert.equal(stderr, 'short\n');
  });

  test('a command that cannot start is reported', async () => {
    await using at = await stage(open);
    await at.sandbox.write('file.txt', Buffer.from('text'));
    const codeOf = (command: ProcessCommand): Promise<string> =>
      at.sandbox.run(command, never).then(
        () => 'none',
        (error: unknown) => (error as AgentError).code,
      );
    assert.equal(await codeOf({ program: 'no-such-program', arguments: [] }), 'usage.not-found');
    assert.equal(await codeOf({ program: './no-such-file', arguments: [] }), 'usage.not-found');
    assert.equal(await codeOf({ program: `${at.workspace}/file.txt`, arguments: [] }), 'usage.bad-input');
    assert.equal(await codeOf(shell('true', { arguments: ['-c', 'a\0b'] })), 'usage.bad-input');
    assert.equal(await codeOf(shell('x'.repeat(3_000_000))), 'limit.too-large');
    assert.equal(await codeOf(shell('true', { folder: `${at.workspace}/nowhere` })), 'usage.not-found');
    assert.equal(await codeOf(shell('true', { folder: at.outside })), 'policy.denied');
  });

  test('twenty parallel commands do not interfere', async () => {
    await using at = await stage(open);
    const numbers = Array.from({ length: 20 }, (_, index) => String(index));
    const printed = await Promise.all(
      numbers.map((number) => at.print(`cat; echo ${number}`, { stdin: 'x' })),
    );
    assert.deepEqual(
      printed,
      numbers.map((number) => `x${number}`),
    );
  });
}
