import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError, type Store } from '../core/index.ts';
import { createMemoryStore } from '../stores/memory.ts';
import {
  createIdempotency,
  type IdempotentStart,
  type NewRequest,
  type StoredAnswer,
} from './idempotency.ts';

const anna = { keyId: 'anna' };
const answer: StoredAnswer = { status: 201, headers: { location: '/v1/runs/r1' }, body: { id: 'r1' } };

function isNew(beginning: IdempotentStart): NewRequest {
  assert.ok(beginning.kind === 'new');
  return beginning.request;
}

test('a repeated request gets the first answer, also from another server', async () => {
  const store = createMemoryStore();
  const [one, other] = [createIdempotency(store), createIdempotency(store)];
  const request = isNew(await one.begin(anna, 'k', 'body'));
  await request.finish(answer);
  for (const server of [one, other])
    assert.deepEqual(await server.begin(anna, 'k', 'body'), { kind: 'replay', answer });
  await request.abandon();
  assert.deepEqual(await other.begin(anna, 'k', 'body'), { kind: 'replay', answer });
});

test('another body with the same key is a conflict, at once', async () => {
  const idempotency = createIdempotency(createMemoryStore());
  const request = isNew(await idempotency.begin(anna, 'k', 'body'));
  assert.deepEqual(await idempotency.begin(anna, 'k', 'other'), { kind: 'conflict' });
  await request.finish(answer);
  assert.deepEqual(await idempotency.begin(anna, 'k', 'other'), { kind: 'conflict' });
});

test('the same key of another principal is another request', async () => {
  const idempotency = createIdempotency(createMemoryStore());
  const ids = new Set<string>();
  for (const keyId of ['a', 'b', 'a"', '["a"', ''])
    ids.add(isNew(await idempotency.begin({ keyId }, 'k', keyId)).id);
  assert.equal(ids.size, 5);
});

test('of many requests at once on two servers, one is executed', async () => {
  const store = createMemoryStore();
  const servers = [createIdempotency(store), createIdempotency(store)];
  let executed = 0;
  const send = async (index: number): Promise<StoredAnswer> => {
    const beginning = await servers[index % 2]?.begin(anna, 'k', 'body');
    if (beginning?.kind === 'replay') return beginning.answer;
    assert.ok(beginning?.kind === 'new');
    executed += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await beginning.request.finish(answer);
    return answer;
  };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
  assert.equal(executed, 1);
  for (const one of answers) assert.deepEqual(one, answer);
});

test('an abandoned request can be sent again, and one that waits for it executes it', async () => {
  const idempotency = createIdempotency(createMemoryStore());
  const first = isNew(await idempotency.begin(anna, 'k', 'body'));
  const waiting = idempotency.begin(anna, 'k', 'body');
  await first.abandon();
  const second = isNew(await waiting);
  assert.notEqual(second.id, first.id);
  await first.finish(answer);
  await second.abandon();
  isNew(await idempotency.begin(anna, 'k', 'another body'));
});

test('a request of a process that died is continued with the same id', async () => {
  const store = createMemoryStore();
  const clock = { at: 1_000_000 };
  const options = { now: () => clock.at, silentMs: 30_000 };
  const dead = isNew(await createIdempotency(store, options).begin(anna, 'k', 'body'));
  clock.at += 30_001;
  const alive = createIdempotency(store, options);
  const request = isNew(await alive.begin(anna, 'k', 'body'));
  assert.equal(request.id, dead.id);
  await dead.finish({ ...answer, body: 'late' });
  await request.finish(answer);
  assert.deepEqual(await alive.begin(anna, 'k', 'body'), { kind: 'replay', answer });
});

test('a process that is alive keeps its request, however long it takes', async () => {
  const store = createMemoryStore();
  const clock = { at: 1_000_000 };
  const options = { now: () => clock.at, silentMs: 30 };
  const slow = isNew(await createIdempotency(store, options).begin(anna, 'k', 'body'));
  const waiting = createIdempotency(store, options).begin(anna, 'k', 'body');
  const lastBeat = async (): Promise<unknown> =>
    ([...(await store.entries('server/idempotency')).values()][0] as { beatAt: number }).beatAt;
  for (let time = 0; time < 5; time += 1) {
    clock.at += 25;
    while ((await lastBeat()) !== clock.at) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await slow.finish(answer);
  assert.deepEqual(await waiting, { kind: 'replay', answer });
});

test('a key is kept for a day from the first request', async () => {
  const inner = createMemoryStore();
  const ttls: (number | undefined)[] = [];
  const store: Store = {
    ...inner,
    add: (...given) => (ttls.push(given[3]), inner.add(...given)),
    swap: (...given) => (ttls.push(given[4]), inner.swap(...given)),
  };
  const clock = { at: 1_000_000 };
  const request = isNew(await createIdempotency(store, { now: () => clock.at }).begin(anna, 'k', 'body'));
  clock.at += 3_600_000;
  await request.finish(answer);
  assert.deepEqual(ttls, [24 * 3_600_000, 23 * 3_600_000]);
});

test('a caller that disconnects stops waiting', async () => {
  const idempotency = createIdempotency(createMemoryStore());
  const request = isNew(await idempotency.begin(anna, 'k', 'body'));
  const gone = new AbortController();
  const waiting = idempotency.begin(anna, 'k', 'body', gone.signal);
  gone.abort(new Error('The client disconnected.'));
  await assert.rejects(waiting, /disconnected/);
  await request.finish(answer);
});

test('a key that is empty or too long is refused', async () => {
  const idempotency = createIdempotency(createMemoryStore());
  for (const key of ['', ' ', 'k'.repeat(256)])
    await assert.rejects(
      idempotency.begin(anna, key, 'body'),
      (thrown) => isAgentError(thrown) && thrown.code === 'usage.bad-input',
    );
});

test('the store that fails while an answer is stored frees those who wait', async () => {
  const inner = createMemoryStore();
  let fails = false;
  const store: Store = {
    ...inner,
    swap: (...given) => (fails ? Promise.reject(new Error('gone')) : inner.swap(...given)),
  };
  const idempotency = createIdempotency(store, { silentMs: 0 });
  const request = isNew(await idempotency.begin(anna, 'k', 'body'));
  const waiting = idempotency.begin(anna, 'k', 'body');
  fails = true;
  await assert.rejects(request.finish(answer));
  fails = false;
  isNew(await waiting);
});
