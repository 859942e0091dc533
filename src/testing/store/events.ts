import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, NewEvent, Store } from '../../core/index.ts';
import { makeRun, note, opened, readAll, started, unusualTexts, type OpenStore } from './test-store.ts';

/** Registers tests that check that events are stored unchanged, in order and without gaps. */
export function checkEvents(open: OpenStore): void {
  test(
    'events come back unchanged, with their envelope',
    opened(open, async (store) => {
      const odd = JSON.parse(
        '{"__proto__":{"polluted":true},"constructor":1,"":[[],{},null,-1.5e-300]}',
      ) as Json;
      const events: readonly NewEvent[] = [
        started({ input: odd, session: 'a\0\ud800' }),
        { ...note('framed'), frameId: 'a/b\0', at: 1_700_000_000_123 },
        ...unusualTexts.map((text) => note(text, { [`key ${text}`]: [text, { deep: { deeper: [text] } }] })),
        note('large', 'x'.repeat(1_000_000)),
      ];
      await makeRun(store, 'r1', ...events);
      const read = await readAll(store, 'r1');
      assert.deepEqual(
        read,
        events.map((event, index) => ({ v: 1, runId: 'r1', seq: index + 1, ...event })),
      );
      assert.ok(!('polluted' in {}), 'a prototype was changed');
      assert.deepEqual(Object.keys((read[0] as { input?: object }).input ?? {}), Object.keys(odd as object));
    }),
  );

  test(
    'changes that a caller later makes to its values have no effect',
    opened(open, async (store) => {
      const epoch = await store.claim('r1', 'me');
      const [inside, value] = [{ list: [1] }, { list: [1] }];
      await store.append('r1', epoch, [note('one', inside)], [{ space: 's', key: 'k', value }]);
      inside.list.push(2);
      value.list.push(2);
      for (let turn = 1; turn <= 2; turn += 1) {
        const [event] = (await readAll(store, 'r1')) as readonly { data?: { list: number[] } }[];
        const stored = (await store.get('s', 'k')) as { list: number[] } | undefined;
        assert.deepEqual([event?.data?.list, stored?.list], [[1], [1]]);
        event?.data?.list.push(3);
        stored?.list.push(3);
      }
    }),
  );

  test(
    'a big batch keeps its order and can be read from any position',
    opened(open, async (store) => {
      const epoch = await makeRun(
        store,
        'r1',
        ...Array.from({ length: 1_000 }, (_, index) => note(String(index + 1))),
      );
      assert.equal(await store.append('r1', epoch, [note('1001')]), 1_001);
      for (const from of [undefined, 0, 1, 2, 500, 501, 1_001]) {
        const messages = await messagesOf(store, 'r1', from);
        const first = Math.max(1, from ?? 1);
        assert.deepEqual(
          messages,
          Array.from({ length: 1_002 - first }, (_, index) => String(first + index)),
        );
      }
      assert.deepEqual(await messagesOf(store, 'r1', 1_002), []);
      assert.deepEqual(await messagesOf(store, 'unknown'), []);
    }),
  );

  test(
    'parallel appends leave no gaps and keep their order',
    opened(open, async (store) => {
      const epochs = [await store.claim('r0', 'me'), await store.claim('r1', 'me')] as const;
      const batches = Array.from({ length: 60 }, (_, index) => index);
      const ends = await Promise.all(
        batches.map((index) => {
          const run = (index % 2) as 0 | 1;
          return store.append(`r${run}`, epochs[run], [note(`${index} a`), note(`${index} b`)]);
        }),
      );
      assert.deepEqual(
        ends,
        batches.map((index) => (Math.floor(index / 2) + 1) * 2),
      );
      for (const run of [0, 1]) {
        const expected = batches.filter((index) => index % 2 === run);
        assert.deepEqual(
          await messagesOf(store, `r${run}`),
          expected.flatMap((index) => [`${index} a`, `${index} b`]),
        );
      }
    }),
  );

  test(
    'reading continues while the run grows',
    opened(open, async (store) => {
      const epoch = await makeRun(
        store,
        'r1',
        ...Array.from({ length: 700 }, (_, index) => note(String(index + 1))),
      );
      const messages: string[] = [];
      for await (const event of store.read('r1')) {
        messages.push(String((event as { message?: string }).message));
        if (event.seq % 100 === 0) await store.append('r1', epoch, [note('more')]);
        assert.equal(event.seq, messages.length);
        if (event.seq > 750) break;
      }
      assert.ok(messages.length >= 700, `only ${messages.length} were read`);
      assert.equal(messages[699], '700');
    }),
  );

  test(
    'values and events are written together or not at all',
    opened(open, async (store) => {
      const epoch = await store.claim('r1', 'me');
      await store.set('s', 'gone', 1);
      await store.set('s', 'timed', 1, 0);
      const put = (key: string, value: Json | undefined) => ({ space: 's', key, value });
      assert.equal(await store.append('r1', epoch, [], [put('alone', null)]), 0);
      const entries = [put('gone', undefined), put('never', undefined), put('timed', 2), put('kept', 1)];
      const twice = [
        put('kept', 2),
        put('both', 1),
        put('both', undefined),
        put('late', undefined),
        put('late', 3),
      ];
      assert.equal(await store.append('r1', epoch, [note('one')], [...entries, ...twice]), 1);
      const values = { alone: null, kept: 2, late: 3, timed: 2 };
      assert.deepEqual([...(await store.entries('s'))], Object.entries(values));

      const unwritable = [note('two'), note('three', 1n as never)]; // A bigint cannot be converted to JSON.
      await assert.rejects(store.append('r1', epoch, unwritable, [put('kept', 4)]));
      await assert.rejects(
        store.append('r1', epoch, [note('two')], [put('kept', 4), put('bad', 1n as never)]),
      );
      assert.deepEqual(await messagesOf(store, 'r1'), ['one']);
      assert.equal(await store.get('s', 'kept'), 2);
      assert.equal(await store.append('r1', epoch, [note('two')]), 2);
    }),
  );
}

async function messagesOf(store: Store, runId: string, fromSeq?: number): Promise<readonly string[]> {
  const events = await readAll(store, runId, fromSeq);
  return events.map((event) => (event.type === 'note.added' ? event.message : event.type));
}
