import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  begin,
  done,
  modelEnded,
  modelStarted,
  runEnded,
  type LogEntry,
} from '../../../test/support/events.ts';
import { isAgentError, type Store, type Usage } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { readAll } from '../../testing/store/test-store.ts';
import { foldRun, sumUsageBy } from '../../views/index.ts';
import { createBudgets, strictestLimits } from './budgets.ts';
import { createUsageLedger } from './usage-ledger.ts';

const noon = Date.parse('2026-11-19T12:00:00Z');

function open(inner: Store = createMemoryStore()) {
  const clock = { at: noon };
  const now = () => clock.at;
  let reads = 0;
  const store: Store = { ...inner, read: (...given) => ((reads += 1), inner.read(...given)) };
  // The store states when a run started, so a day in the past is outside of the ledger only by its events.
  const ledger = createUsageLedger(store, { now, freshMs: 0, days: 10_000 });
  const budgets = createBudgets(ledger, now);
  const append = async (id: string, ...entries: readonly LogEntry[]): Promise<void> => {
    const events = entries.map((entry) => ({ frameId: '', ...entry, at: clock.at }));
    await store.append(id, await store.claim(id, 'me'), events);
  };
  return { store, clock, ledger, budgets, append, reads: () => reads };
}

function spent(key: string, usage: Usage): readonly LogEntry[] {
  return [modelStarted('f1', key), modelEnded('f1', key, usage)];
}

const key = { keyId: 'k1', keyName: 'anna', budget: { cost: 1, tokens: 100 } };

test('a run gets what is left of the budget of the day', async () => {
  const { clock, budgets, append } = open();
  assert.deepEqual(await budgets.check(key), { cost: 1, tokens: 100 });
  await append(
    'r1',
    ...begin('a', { client: 'k1' }),
    ...spent('m1', { inputTokens: 30, outputTokens: 10, cost: 0.25 }),
  );
  await append('r2', ...begin('a', { client: 'k2' }), ...spent('m1', { inputTokens: 900, outputTokens: 0 }));
  assert.deepEqual(await budgets.check(key), { cost: 0.75, tokens: 60 });
  await append('r1', ...spent('m2', { inputTokens: 0, outputTokens: 0, cost: 0.75 }));
  const refused = await budgets.check(key);
  assert.ok(isAgentError(refused) && refused.code === 'limit.budget');
  assert.deepEqual(refused.details, { retryAfter: 12 * 3_600 });
  assert.deepEqual(await budgets.check({ ...key, budget: undefined }), {});
  assert.deepEqual(await budgets.check({ ...key, budget: { tokens: 50 } }), { tokens: 10 });
  clock.at += 12 * 3_600_000;
  assert.deepEqual(await budgets.check(key), { cost: 1, tokens: 100 });
  await append('r1', ...spent('m3', { inputTokens: 1, outputTokens: 1 }));
  assert.deepEqual(await budgets.check(key), { cost: 1, tokens: 98 });
});

test('the log of a run is read only if it has new events', async () => {
  const { budgets, append, reads } = open();
  await append('r1', ...begin('a', { client: 'k1' }), ...spent('m1', { inputTokens: 1, outputTokens: 1 }));
  await append('r2', ...begin('a', { client: 'k1' }), runEnded('done', done()));
  await budgets.check(key);
  assert.equal(reads(), 2);
  for (let time = 0; time < 5; time += 1) await budgets.check(key);
  assert.equal(reads(), 2);
  await append('r1', ...spent('m2', { inputTokens: 1, outputTokens: 1 }), runEnded('done', done()));
  assert.deepEqual(await budgets.check(key), { cost: 1, tokens: 96 });
  assert.equal(reads(), 3);
});

test('many readers at once read each log once', async () => {
  const { ledger, append, reads } = open();
  for (let run = 0; run < 250; run += 1)
    await append(`r${run}`, ...begin('a'), ...spent('m1', { inputTokens: 1, outputTokens: 0 }));
  const all = await Promise.all(Array.from({ length: 10 }, () => ledger.read()));
  for (const entries of all) assert.equal(sumUsageBy(entries, [])[0]?.inputTokens, 250);
  assert.equal(reads(), 250);
});

test('what a removed run used stays, and a store that fails is read again', async () => {
  const inner = createMemoryStore();
  let fails = false;
  const { store, ledger, append } = open({
    ...inner,
    runs: (query) => (fails ? Promise.reject(new Error('gone')) : inner.runs(query)),
  });
  await append('r1', ...begin('a'), ...spent('m1', { inputTokens: 7, outputTokens: 0 }));
  await ledger.read();
  await store.remove(['r1']);
  fails = true;
  await assert.rejects(ledger.read());
  fails = false;
  assert.equal(sumUsageBy(await ledger.read(), [])[0]?.inputTokens, 7);
});

test('the stricter limits win', () => {
  assert.deepEqual(strictestLimits({ cost: 2, depth: 3 }, { cost: 1, tokens: 5 }), {
    cost: 1,
    depth: 3,
    tokens: 5,
  });
  assert.deepEqual(strictestLimits({ cost: 1 }, {}), { cost: 1 });
});

test('a ledger that is read at any time adds up exactly to the trees of all runs', async () => {
  const amount = fc.nat(500);
  const change = fc.record({
    run: fc.nat(4),
    usage: fc.record({ inputTokens: amount, outputTokens: amount, cost: amount.map((cost) => cost / 64) }),
    isLast: fc.boolean(),
    isRead: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      const { store, ledger, append } = open();
      const seen = new Set<string>();
      const over = new Set<string>();
      for (const [index, { run, usage, isLast, isRead }] of changes.entries()) {
        const id = `r${run}`;
        if (over.has(id)) continue;
        const start = seen.has(id) ? [] : begin('a', { client: `k${run % 2}` });
        await append(
          id,
          ...start,
          ...spent(`m${index}`, usage),
          ...(isLast ? [runEnded('done', done())] : []),
        );
        seen.add(id);
        if (isLast) over.add(id);
        if (isRead) await ledger.read();
      }
      let total = { inputTokens: 0, outputTokens: 0, cost: 0 };
      for (const id of seen) {
        const { totalUsage } = foldRun(await readAll(store, id));
        total = {
          inputTokens: total.inputTokens + totalUsage.inputTokens,
          outputTokens: total.outputTokens + totalUsage.outputTokens,
          cost: total.cost + (totalUsage.cost ?? 0),
        };
      }
      const [sum] = sumUsageBy(await ledger.read(), []);
      const { inputTokens = 0, outputTokens = 0, cost = 0, runs = 0 } = sum ?? {};
      assert.deepEqual({ inputTokens, outputTokens, cost }, total);
      assert.equal(runs, seen.size);
    }),
    { numRuns: 50 },
  );
});
