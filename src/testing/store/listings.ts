import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunQuery, Store } from '../../core/index.ts';
import {
  ended,
  longText,
  makeRun,
  note,
  opened,
  resumed,
  started,
  unusualTexts,
  waiting,
  type OpenStore,
} from './test-store.ts';

/**
 * Registers tests that check that a listing of runs is consistent with their events and contains only the
 * runs that match the query.
 */
export function checkListings(open: OpenStore): void {
  test(
    'the status follows the events',
    opened(open, async (store) => {
      const epoch = await store.claim('r1', 'me');
      const steps = [
        ...([
          [[started()], 'running'],
          [[note('x')], 'running'],
          [[waiting()], 'waiting'],
        ] as const),
        ...([
          [[note('x')], 'waiting'],
          [[resumed()], 'running'],
          [[ended('failed')], 'failed'],
        ] as const),
        ...([
          [[resumed(), ended('cancelled')], 'cancelled'],
          [[resumed(), ended('done'), note('x')], 'done'],
        ] as const),
      ];
      for (const [events, status] of steps) {
        await store.append('r1', epoch, events);
        assert.deepEqual(
          (await store.runs()).map((run) => run.status),
          [status],
        );
        assert.deepEqual(await idsOf(store, { status: [status] }), ['r1']);
      }
      assert.equal((await store.runs())[0]?.seq, 11);
    }),
  );

  test(
    'a listing describes the run',
    opened(open, async (store) => {
      await makeRun(
        store,
        'r1',
        started({ skill: 's', session: 'mine', input: { prompt: 'Do\0 it\n' } }),
        note('x'),
      );
      const [run] = await store.runs();
      assert.deepEqual(
        [run?.skill, run?.session, run?.title, run?.prepares],
        ['s', 'mine', 'Do  it ', undefined],
      );
      assert.ok(run !== undefined && !('prepares' in run));
      assert.ok(run.updatedAt >= run.startedAt && run.beatAt >= run.startedAt);
    }),
  );

  test(
    'listings are newest first, up to the limit',
    opened(open, async (store) => {
      const ids = Array.from({ length: 120 }, (_, index) => `r${String(index).padStart(3, '0')}`);
      for (const id of ids) await store.claim(id, 'me');
      const all = await store.runs({ limit: 1_000 });
      const sorted = [...all].sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
      assert.deepEqual(all, sorted);
      assert.deepEqual(
        all.map(({ id }) => id),
        ids.toReversed(),
      );
      assert.deepEqual(await store.runs(), all.slice(0, 100));
      assert.deepEqual(await store.runs({ limit: 3 }), all.slice(0, 3));
      assert.deepEqual(await store.runs({ limit: 0 }), []);
      assert.deepEqual(await store.runs({ limit: Infinity }), all);
    }),
  );

  test(
    'all conditions of a query must match',
    opened(open, async (store) => {
      await makeRun(store, 'a-1', started({ session: 'one', user: 'ann' }));
      await makeRun(store, 'a-2', started({ session: 'two', user: 'bob' }), ended());
      await makeRun(store, 'b-1', started({ session: 'one' }), ended());
      await makeRun(store, 'p-1', started({ session: 'one', prepares: 'skill' }));
      const answers: readonly (readonly [RunQuery, string])[] = [
        [{}, 'b-1 a-2 a-1'],
        [{ preparations: true }, 'p-1 b-1 a-2 a-1'],
        [{ ids: ['p-1', 'a-1', 'none', 'a-1'] }, 'p-1 a-1'],
        [{ ids: [] }, ''],
        [{ idPrefix: '' }, 'b-1 a-2 a-1'],
        [{ idPrefix: 'a-' }, 'a-2 a-1'],
        [{ idPrefix: 'p' }, ''],
        [{ idPrefix: 'p', preparations: true }, 'p-1'],
        [{ status: ['done', 'failed'] }, 'b-1 a-2'],
        [{ status: ['running', 'interrupted'] }, 'a-1'],
        [{ status: ['interrupted'] }, ''],
        [{ status: [] }, ''],
        [{ session: 'one' }, 'b-1 a-1'],
        [{ session: '' }, ''],
        [{ session: 'one', status: ['done'], idPrefix: 'b', ids: ['b-1', 'a-1'] }, 'b-1'],
        [{ session: 'one', limit: 1 }, 'b-1'],
        [{ user: 'ann' }, 'a-1'],
        [{ user: '' }, ''],
        [{ user: 'bob', session: 'one' }, ''],
      ];
      for (const [query, ids] of answers)
        assert.equal((await idsOf(store, query)).join(' '), ids, JSON.stringify(query));
      const all = await store.runs({ preparations: true });
      assert.equal(all[0]?.prepares, 'skill');
      assert.deepEqual(
        all.map(({ user }) => user),
        [undefined, undefined, 'bob', 'ann'],
      );
    }),
  );

  test(
    'a list continues after a run, also after one that was removed',
    opened(open, async (store) => {
      for (const id of ['a', 'b', 'c', 'd']) await makeRun(store, id, started({ user: 'ann' }));
      const [first, second] = await store.runs({ limit: 2 });
      assert.ok(first && second);
      assert.deepEqual(await idsOf(store, { after: second }), ['b', 'a']);
      await store.remove([first.id]);
      assert.deepEqual(await idsOf(store, { after: first, user: 'ann', limit: 2 }), ['c', 'b']);
      const [last] = await store.runs({ ids: ['a'] });
      assert.ok(last);
      assert.deepEqual(await idsOf(store, { after: last }), []);
    }),
  );

  test(
    'an id prefix is matched literally',
    opened(open, async (store) => {
      for (const id of ['a_1', 'ab1', 'A_1', 'a%1', '_a', '%a', 'a\\1', 'a*1', 'a[b]1'])
        await store.claim(id, 'me');
      for (const start of ['a_', 'a%', '_', '%', 'a\\', 'A', 'a*', 'a[', 'a?', 'a\0', '\ud800'])
        for (const id of await idsOf(store, { idPrefix: start }))
          assert.ok(id.startsWith(start), `${id} for ${start}`);
      assert.deepEqual(await idsOf(store, { idPrefix: 'a_' }), ['a_1']);
      assert.deepEqual(await idsOf(store, { idPrefix: '%' }), ['%a']);
      assert.deepEqual(await idsOf(store, { idPrefix: 'A' }), ['A_1']);
    }),
  );

  test(
    'any string can name a session, a skill or an owner',
    opened(open, async (store) => {
      const names = [...unusualTexts, 'long '.repeat(2_000), longText()];
      for (const [index, name] of names.entries()) {
        const epoch = await store.claim(`r${index}`, name);
        await store.append(`r${index}`, epoch, [started({ session: name, skill: name, prepares: name })]);
      }
      for (const [index, name] of names.entries()) {
        const [run, ...others] = await store.runs({ session: name, preparations: true });
        assert.deepEqual(others, []);
        assert.deepEqual(
          [run?.id, run?.session, run?.skill, run?.prepares, run?.owner],
          [`r${index}`, name, name, name, name],
        );
      }
    }),
  );
}

async function idsOf(store: Store, query: RunQuery): Promise<readonly string[]> {
  return (await store.runs(query)).map(({ id }) => id);
}
