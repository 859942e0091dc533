import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { HostFunction } from '../../../src/core/code.ts';
import { AgentError } from '../../../src/core/error.ts';
import type { Json } from '../../../src/core/json.ts';
import type { SandboxProvider } from '../../../src/core/sandbox.ts';
import { codeStage } from '../code-stage.ts';

/** Registers tests of the functions that the host offers to code. */
export function checkHostFunctions(sandboxes: SandboxProvider): void {
  test('a host function gets all arguments and gives its value', async () => {
    await using at = codeStage(
      sandboxes,
      'export const action = async (_: unknown, { ask }: any) => [await ask(), await ask(1, undefined), await ask(undefined, { a: [2] }), ask instanceof Function];',
    );
    const functions = { ask: async (given: readonly Json[]) => [...given] };
    assert.deepEqual(await at.value(null, { functions }), [[], [1], [null, { a: [2] }], true]);
  });

  test('what a host function throws is thrown with its words and its code', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = async (_: unknown, { ask }: any) => {
        try { await ask(); } catch (thrown: any) { return [thrown instanceof Error, thrown.message, thrown.code]; }
      };`,
    );
    const ask: HostFunction = () =>
      Promise.reject(new AgentError('policy.denied', 'Not that.', { hint: 'secret' }));
    assert.deepEqual(await at.value(null, { functions: { ask } }), [true, 'Not that.', 'policy.denied']);
  });

  test('what is not JSON, or too much, is not asked', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = async (_: unknown, { ask }: any) => {
        const codes = [];
        for (const given of [() => 1, 1n, new Date(), 'x'.repeat(5_000_000), 'large'])
          codes.push(await ask(given).then((value: unknown) => value, (thrown: any) => thrown.code));
        return codes;
      };`,
    );
    const asked: Json[] = [];
    const ask: HostFunction = async (given) => {
      asked.push(...given);
      return 'x'.repeat(5_000_000);
    };
    const bad = 'usage.bad-input';
    assert.deepEqual(await at.value(null, { functions: { ask } }), [
      bad,
      bad,
      bad,
      'limit.too-large',
      'limit.too-large',
    ]);
    assert.deepEqual(asked, ['large']);
  });

  test('one that is not awaited may fail', async () => {
    await using at = codeStage(
      sandboxes,
      'export const action = async (_: unknown, { note, ask }: any) => { void note("x"); void note(() => 1); await ask(); return 1; };',
    );
    const noted: Json[] = [];
    const functions = {
      note: async (given: readonly Json[]) => {
        noted.push(...given);
        throw new Error('no');
      },
      ask: async () => null,
    };
    assert.equal(await at.value(null, { functions }), 1);
    assert.deepEqual(noted, ['x']);
  });

  test('the time in which it waits does not count, that in which it works does', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = async (ms: number, { ask }: any) => {
        for (let times = 0; times < 2; times += 1) { await ask(); const until = Date.now() + ms; while (Date.now() < until); }
        return 'done';
      };`,
    );
    assert.equal(await at.value(0, { functions: { ask: async () => null } }), 'done'); // the worker has started
    const ask: HostFunction = () => new Promise((resolve) => setTimeout(resolve, 600, null));
    assert.equal(await at.value(1, { functions: { ask }, timeoutMs: 1000 }), 'done');
    const fault = await at.fault(700, { functions: { ask }, timeoutMs: 1000 });
    assert.deepEqual(
      [fault?.code, fault?.message],
      ['limit.time', 'src/index.ts took longer than 1 seconds.'],
    );
  });

  test('calls that call themselves through three levels complete, more of them than work at once', async () => {
    await using at = codeStage(
      sandboxes,
      `export const action = async (depth: number, { call }: any): Promise<number> =>
        depth === 0 ? 1 : 1 + (await call(depth - 1));`,
    );
    const call: HostFunction = ([depth = 0]) => at.value(depth, { functions: { call } });
    const roots = Array.from({ length: availableParallelism() + 1 }, () =>
      at.value(3, { functions: { call } }),
    );
    assert.deepEqual(new Set(await Promise.all(roots)), new Set([4]));
  });

  test('a call cannot ask without end', async () => {
    await using at = codeStage(
      sandboxes,
      'export const action = async (how: string, { ask }: any) => { if (how === "wait") for (;;) await ask(); else if (how === "slow flood") for (;;) await ask("x".repeat(1e6)); else for (;;) void ask("x".repeat(1e6)); };',
    );
    const ask: HostFunction = async () => null;
    assert.equal((await at.fault('wait', { functions: { ask } }))?.code, 'limit.calls');
    assert.equal((await at.fault('slow flood', { functions: { ask } }))?.code, 'limit.too-large');
    const never: HostFunction = () => new Promise(() => undefined);
    assert.equal((await at.fault('flood', { functions: { ask: never } }))?.code, 'limit.too-large');
  });
}
