import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Store } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { createRateLimiter } from './rate-limiter.ts';

const rate = { perMinute: 60, burst: 5 };
const key = { keyId: 'k', rate };

function open(store: Store = createMemoryStore()) {
  const clock = { at: 1_000_000 };
  const limiter = createRateLimiter(store, { now: () => clock.at });
  const allowedOf = async (times: number, id = 'k'): Promise<number> => {
    const taken = await Promise.all(Array.from({ length: times }, () => limiter.take({ ...key, keyId: id })));
    return taken.filter(({ allowed }) => allowed).length;
  };
  return { clock, limiter, allowedOf, store };
}

test('a key can send its burst at once, and then what it earns', async () => {
  const { clock, allowedOf } = open();
  assert.equal(await allowedOf(20), 5);
  assert.equal(await allowedOf(20, 'other'), 5);
  clock.at += 999;
  assert.equal(await allowedOf(3), 0);
  clock.at += 1;
  assert.equal(await allowedOf(3), 1);
  clock.at += 2_000;
  assert.equal(await allowedOf(20), 2);
  clock.at += 1_000_000;
  assert.equal(await allowedOf(20), 5);
});

test('the headers say what is left and when to come back', async () => {
  const { clock, limiter } = open();
  const first = await limiter.take(key);
  assert.deepEqual(first.headers, {
    'RateLimit-Limit': '5',
    'RateLimit-Remaining': '4',
    'RateLimit-Reset': '1',
    'RateLimit-Policy': '5;w=5',
  });
  for (let left = 3; left >= 0; left -= 1)
    assert.equal((await limiter.take(key)).headers['RateLimit-Remaining'], String(left));
  const refused = await limiter.take(key);
  assert.equal(refused.allowed, false);
  assert.equal(refused.headers['RateLimit-Remaining'], '0');
  const wait = Number(refused.headers['Retry-After']);
  assert.ok(wait >= 1);
  clock.at += wait * 1_000;
  assert.equal((await limiter.take(key)).allowed, true);
  const rare = await limiter.take({ keyId: 'rare', rate: { perMinute: 1 / 60, burst: 1 } });
  assert.equal(rare.allowed, true);
  const later = await limiter.take({ keyId: 'rare', rate: { perMinute: 1 / 60, burst: 1 } });
  assert.equal(later.headers['Retry-After'], '3600');
});

test('without a rate, there is no limit and no header', async () => {
  const { limiter } = open();
  for (let time = 0; time < 100; time += 1)
    assert.deepEqual(await limiter.take({ keyId: 'k', rate: undefined }), { allowed: true, headers: {} });
});

test('requests that arrive during a look at the store are not refused without reason', async () => {
  const { limiter } = open();
  const takes: Promise<{ readonly allowed: boolean }>[] = [];
  for (let time = 0; time < 5; time += 1) {
    takes.push(limiter.take(key));
    await Promise.resolve();
  }
  assert.deepEqual(
    (await Promise.all(takes)).map(({ allowed }) => allowed),
    [true, true, true, true, true],
  );
});

test('a flood does not reach the store', async () => {
  const inner = createMemoryStore();
  let calls = 0;
  const counted = new Proxy(inner, {
    get(target, name: keyof Store) {
      calls += 1;
      return target[name];
    },
  });
  const { allowedOf } = open(counted);
  assert.equal(await allowedOf(1_000), 5);
  for (let time = 0; time < 10; time += 1) assert.equal(await allowedOf(1_000), 0);
  assert.ok(calls <= 4, `${calls} calls`);
});

test('a high rate does not write to the store for each request', async () => {
  const inner = createMemoryStore();
  let swaps = 0;
  const counted: Store = { ...inner, swap: (...given) => ((swaps += 1), inner.swap(...given)) };
  const limiter = createRateLimiter(counted, { now: () => 1_000_000 });
  const fast = { keyId: 'k', rate: { perMinute: 6_000, burst: 1_000 } };
  for (let time = 0; time < 500; time += 1) assert.equal((await limiter.take(fast)).allowed, true);
  assert.equal(swaps, 5);
});

test('a store that fails rejects the request, and the next one works', async () => {
  const inner = createMemoryStore();
  let fails = true;
  const { limiter } = open({
    ...inner,
    get: (...given) => (fails ? Promise.reject(new Error('gone')) : inner.get(...given)),
  });
  await assert.rejects(limiter.take(key));
  fails = false;
  assert.equal((await limiter.take(key)).allowed, true);
});

test('servers that share a store never allow more than the key has together', async () => {
  const step = fc.record({ server: fc.nat(2), times: fc.integer({ min: 1, max: 30 }), pass: fc.nat(2_000) });
  const rates = fc.record({
    perMinute: fc.integer({ min: 1, max: 3_000 }),
    burst: fc.integer({ min: 1, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(rates, fc.array(step, { maxLength: 25 }), async (shared, steps) => {
      const store = createMemoryStore();
      const clock = { at: 1_000_000 };
      // The clocks of the servers differ by up to half a second.
      const servers = [0, 200, 500].map((ahead) => createRateLimiter(store, { now: () => clock.at + ahead }));
      const spent: number[] = [];
      for (const { server, times, pass } of steps) {
        const limiter = servers[server] ?? createRateLimiter(store);
        const takes = Array.from({ length: times }, () => limiter.take({ keyId: 'k', rate: shared }));
        for (const { allowed } of await Promise.all(takes)) if (allowed) spent.push(clock.at);
        clock.at += pass;
      }
      for (const [index, from] of spent.entries())
        for (const [other, until] of [...spent.entries()].slice(index)) {
          const earned = ((until - from + 1_500) / 60_000) * shared.perMinute;
          assert.ok(
            other - index + 1 <= shared.burst + earned + 1e-6,
            `${other - index + 1} in ${until - from} ms`,
          );
        }
    }),
    { numRuns: 60 },
  );
});
