import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { HostFunction } from '../../../src/core/code.ts';
import type { SandboxProvider } from '../../../src/core/sandbox.ts';
import { codeStage } from '../code-stage.ts';
import { minute, until } from '../deadline.ts';

/** Registers tests of how calls and their processes end. */
export function checkCodeEnds(sandboxes: SandboxProvider): void {
  test('a function that does not return is stopped, and the next call works', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = async (how: string) => {
        if (how === 'loop') for (;;);
        if (how === 'deaf') { process.on('SIGTERM', () => undefined); for (;;); }
        if (how === 'turns') for (;;) await new Promise((resolve) => setImmediate(resolve));
        if (how === 'never') await new Promise(() => undefined);
        return 'works';
      };`,
    );
    for (const how of ['loop', 'deaf', 'turns', 'never'])
      assert.equal((await at.fault(how, { timeoutMs: 300 }))?.code, 'limit.time', how);
    assert.equal(await at.value(''), 'works');
  });

  test('a module that does not end while it is loaded is stopped', async () => {
    await using at = codeStage(
      sandboxes,
      'await new Promise(() => undefined); export const action = () => 1;',
    );
    assert.equal((await at.fault(null, { timeoutMs: 300 }))?.code, 'limit.time');
  });

  test('a process that ends is one failed call', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = async (how: string | number) => {
        if (typeof how === 'number') process.exit(how);
        if (how === 'kill') process.kill(process.pid, 'SIGKILL');
        if (how === 'abort') process.abort();
        if (how === 'close') process.getBuiltinModule('node:fs').closeSync(3);
        return 'works';
      };`,
    );
    const exit = await at.fault(0);
    assert.deepEqual(
      [exit?.code, exit?.message],
      ['skill.failed', 'src/index.ts ended its process with exit code 0 instead of returning.'],
    );
    assert.match((await at.fault(3))?.message ?? '', /exit code 3/);
    for (const how of ['kill', 'abort', 'close'])
      assert.equal((await at.fault(how))?.code, 'skill.failed', how);
    assert.equal(await at.value(''), 'works');
  });

  test('what a function leaves to itself fails its own call, and not the next', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = (how: string) => {
        if (how === 'fails') void Promise.reject(new Error('nobody heard'));
        if (how === 'throws') { void Promise.reject(new Error('nobody heard')); throw new Error('heard'); }
        if (how === 'runs on') void (async () => { for (;;) await null; })();
        return 'works';
      };`,
    );
    for (const [how, timeoutMs, code, message] of [
      ['fails', minute, 'skill.failed', /nobody heard/],
      ['throws', minute, 'skill.failed', /heard/],
      ['runs on', 1000, 'limit.time', /longer/],
    ] as const) {
      const fault = await at.fault(how, { timeoutMs });
      assert.equal(fault?.code, code, how);
      assert.match(fault.message, message);
      assert.equal(await at.value(''), 'works', how);
    }
  });

  test('a call that is cancelled ends, and learns of it', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = async (how: string, { signal, begun, heard }: any) => {
        await begun();
        if (how === 'loop') for (;;);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        process.getBuiltinModule('node:fs').writeFileSync(how, 'stopped');
      };`,
    );
    const reason = new Error('enough');
    const callOff = async (how: string): Promise<void> => {
      const stop = new AbortController();
      const begun: HostFunction = async () => {
        setTimeout(() => stop.abort(reason), 20);
        return null;
      };
      const grant = { write: [at.files.path], read: [] };
      const running = at.run(how, { functions: { begun }, signal: stop.signal, grant, key: 'writes' });
      await assert.rejects(running, reason);
      await assert.rejects(at.run(how, { signal: stop.signal }), reason);
    };
    await callOff('loop');
    const noticeFile = at.files.at('heard.txt');
    await until(async () => {
      await callOff(noticeFile);
      await wait(500); // the code gets 500 ms to handle the signal, which may be too short on a busy machine
      return existsSync(noticeFile);
    });
  });

  test('a call that waits in the queue may be cancelled', async () => {
    await using at = codeStage(
      sandboxes,
      'export const action = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 1));',
    );
    const stop = new AbortController();
    const long = Array.from({ length: 30 }, () => at.run(50));
    const last = at.run(1, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await assert.rejects(last, /enough/);
    await Promise.all(long);
  });

  test('closing ends what is under way, and takes nothing new', async () => {
    await using at = codeStage(
      sandboxes,
      'export const action = async (_: unknown, { begun }: any) => { await begun(); for (;;); };',
    );
    const begun = Promise.withResolvers<undefined>();
    const functions = { begun: async () => (begun.resolve(undefined), null) };
    const running = at.fault(null, { functions });
    const starting = at.fault(null, { key: 'two', functions });
    await begun.promise;
    await at.runner.close();
    assert.deepEqual(
      [(await running)?.code, (await starting)?.code],
      ['sandbox.unavailable', 'sandbox.unavailable'],
    );
    assert.equal((await at.fault())?.code, 'sandbox.unavailable');
  });
}
