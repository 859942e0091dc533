import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collect, type ModelRequest } from '../core/model.ts';
import { mediate } from './fallback.ts';
import { createLedger, withLedger, type LedgerEntry } from './ledger.ts';
import { createScriptedModel } from './scripted.ts';

const request: ModelRequest = { messages: [{ role: 'user', text: 'Hello' }] };
const never = new AbortController().signal;

function entry(more: Partial<LedgerEntry> = {}): LedgerEntry {
  const usage = { inputTokens: 10, outputTokens: 1, cost: 0.5 };
  return { model: 'a/b', tier: 'plan', at: 0, durationMs: 2, usage, attempts: 1, reason: 'answer', ...more };
}

describe('the ledger', () => {
  test('forgets old calls but not what they cost', () => {
    const ledger = createLedger();
    for (let at = 1; at <= 2500; at++) ledger.add(entry({ at, model: at % 2 === 0 ? 'a/even' : 'a/odd' }));
    assert.equal(ledger.entries.length, 1000);
    assert.deepEqual([ledger.entries[0]?.at, ledger.entries.at(-1)?.at], [1501, 2500]);
    assert.deepEqual(ledger.total, {
      calls: 2500,
      failed: 0,
      attempts: 2500,
      durationMs: 5000,
      usage: { inputTokens: 25_000, outputTokens: 2500, cost: 1250 },
    });
    assert.equal(ledger.byModel.get('a/even')?.calls, 1250);
  });

  test('gives lists that later calls do not change', () => {
    const ledger = createLedger();
    ledger.add(entry());
    const { entries } = ledger;
    ledger.add(entry());
    assert.equal(entries.length, 1);
  });
});

describe('a model with a ledger', () => {
  test('enters who answered, after how many attempts, how long it took and what it cost', async () => {
    const ledger = createLedger();
    let clock = 100;
    const first = createScriptedModel(() => ({ error: { code: 'model.denied', message: 'No.' } }), {
      id: 'a/one',
    });
    const second = createScriptedModel([{ text: 'x', usage: { inputTokens: 3, outputTokens: 1 } }], {
      id: 'b/two',
    });
    const model = withLedger(
      mediate([first, second], { retries: 0, idleSeconds: 9 }),
      'fast',
      ledger,
      () => (clock += 50),
    );
    await collect(model.stream(request, never));
    const [recorded] = ledger.entries;
    assert.ok(recorded);
    assert.deepEqual(
      { ...recorded, usage: undefined },
      {
        model: 'b/two',
        tier: 'fast',
        at: 150,
        durationMs: 50,
        usage: undefined,
        attempts: 2,
        reason: 'answer',
      },
    );
    assert.equal(recorded.usage.outputTokens, 1);
  });

  test('enters failures with their reason', async () => {
    const ledger = createLedger();
    await collect(withLedger(createScriptedModel([]), 'fast', ledger, Date.now).stream(request, never));
    assert.equal(ledger.entries[0]?.error?.code, 'model.unavailable');
    assert.equal(ledger.total.failed, 1);
  });

  test('enters a call whose reader left', async () => {
    const ledger = createLedger();
    for await (const event of withLedger(createScriptedModel(['x']), 'fast', ledger, Date.now).stream(
      request,
      never,
    )) {
      assert.equal(event.type, 'text');
      break;
    }
    assert.equal(ledger.entries[0]?.reason, 'aborted');
  });
});
