import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toErrorData, type RunSummary, type Store } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { anyCharacter } from '../garbage.ts';
import {
  ended,
  note,
  readAll,
  resumed,
  started,
  unusualTexts,
  waiting,
  type OpenStore,
} from './test-store.ts';

/**
 * A call to the store by one of two writers. `epochs` contains the claims of both, keyed by run id and
 * writer.
 */
type Step = (store: Store, epochs: Map<string, string>) => Promise<unknown>;

/** Checks that random calls have the same results as in the memory store. */
export async function checkAnyCalls(open: OpenStore, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const [model, store] = [createMemoryStore(), await open()];
      try {
        const expected = await answersOf(model, steps);
        assert.deepEqual(await answersOf(store, steps), expected);
      } finally {
        await Promise.all([model.close(), store.close()]);
      }
    }),
    { numRuns: runs },
  );
}

async function answersOf(store: Store, steps: readonly Step[]): Promise<readonly unknown[]> {
  const epochs = new Map<string, string>();
  const answers: unknown[] = [];
  for (const take of steps)
    answers.push(await take(store, epochs).catch((thrown: unknown) => toErrorData(thrown).code));
  answers.push(await listed(store, {}), await readAll(store, 'r1'), await readAll(store, 'r2'));
  return answers;
}

const run = fc.constantFrom('r1', 'r2');
const writer = fc.constantFrom('me', 'you');
const text = fc.oneof(
  fc.constantFrom('a', 'b', ...unusualTexts),
  fc.string({ unit: anyCharacter, maxLength: 4 }),
);
const space = fc.constantFrom('s', '');
const value = fc.jsonValue({ maxDepth: 2 });
const ttl = fc.constantFrom(undefined, undefined, 0, 1_000_000);
const event = fc.oneof(
  fc.constantFrom(waiting(), resumed(), ended('done'), ended('failed')),
  fc
    .record({ input: value, session: fc.constantFrom('one', 'two'), user: fc.constantFrom('ann', 'bob') })
    .map((more) => started(more as object)),
  fc.tuple(text, value).map(([message, data]) => note(message, data as never)),
);
const maybe = fc.oneof(value, fc.constant(undefined));
const entry = fc.record(
  { space, key: text, value: maybe, expected: fc.record({ value: maybe }) },
  { requiredKeys: ['space', 'key', 'value'] },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(run, writer).map(([id, who]): Step => async (store, epochs) => {
    epochs.set(`${id} ${who}`, await store.claim(id, who));
  }),
  { weight: 3, arbitrary: appending() },
  writer.map(
    (who): Step =>
      async (store, epochs) =>
        [...(await store.beat(claimsOf(who, epochs)))].sort(),
  ),
  writer.map(
    (who): Step =>
      (store, epochs) =>
        store.release(claimsOf(who, epochs)),
  ),
  fc.tuple(run, fc.nat(5)).map(
    ([id, from]): Step =>
      (store) =>
        readAll(store, id, from),
  ),
  fc
    .record(
      {
        ids: fc.subarray(['r1', 'r2', 'r3']),
        idPrefix: fc.constantFrom('', 'r', 'r1', '%', '\0'),
        status: fc.subarray(['running', 'waiting', 'done', 'failed', 'interrupted'] as const),
        session: fc.constantFrom('one', 'two', ''),
        user: fc.constantFrom('ann', 'bob', ''),
      },
      { requiredKeys: [] },
    )
    .map(
      (query): Step =>
        (store) =>
          listed(store, query),
    ),
  fc.subarray(['r1', 'r2', 'r3']).map(
    (ids): Step =>
      (store) =>
        store.remove(ids),
  ),
  fc.constantFrom(0, Number.MAX_SAFE_INTEGER).map(
    (before): Step =>
      (store) =>
        store.expire(before),
  ),
  fc.tuple(space, text).map(
    ([in_, key]): Step =>
      (store) =>
        store.get(in_, key),
  ),
  fc.tuple(space, text, value, ttl).map(
    ([in_, key, put, ms]): Step =>
      (store) =>
        store.set(in_, key, put as never, ms),
  ),
  fc.tuple(space, text, value, ttl).map(
    ([in_, key, put, ms]): Step =>
      (store) =>
        store.add(in_, key, put as never, ms),
  ),
  fc.tuple(space, text, maybe, maybe, fc.boolean(), ttl).map(
    ([in_, key, guess, put, isRead, ms]): Step =>
      async (store) =>
        store.swap(in_, key, isRead ? await store.get(in_, key) : (guess as never), put as never, ms),
  ),
  fc.tuple(space, text).map(
    ([in_, key]): Step =>
      (store) =>
        store.delete(in_, key),
  ),
  space.map(
    (in_): Step =>
      (store) =>
        store.clear(in_),
  ),
  space.map((in_): Step => async (store) => [...(await store.entries(in_))]),
);

function claimsOf(who: string, epochs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(['r1', 'r2'].map((id) => [id, epochs.get(`${id} ${who}`) ?? 'none']));
}

function appending(): fc.Arbitrary<Step> {
  const [events, entries] = [fc.array(event, { maxLength: 4 }), fc.array(entry, { maxLength: 4 })];
  return fc.tuple(run, writer, events, entries).map(([id, who, batch, values]): Step => (store, epochs) => {
    return store.append(id, epochs.get(`${id} ${who}`) ?? 'none', batch, values as never);
  });
}

// Lists runs without their times and sorted by id, because times and the order that depends on them differ
// between stores.
async function listed(store: Store, query: object): Promise<readonly unknown[]> {
  const summaries = await store.runs(query);
  return summaries.map(withoutTimes).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function withoutTimes({ id, skill, session, title, status, prepares, seq, owner }: RunSummary) {
  return { id, skill, session, title, status, prepares, seq, owner };
}
