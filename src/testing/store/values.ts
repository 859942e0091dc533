import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../core/index.ts';
import {
  longText,
  makeRun,
  note,
  opened,
  readAll,
  rejectsWithClaimLost,
  started,
  unusualTexts,
  type OpenStore,
} from './test-store.ts';

/** Registers tests for values, which are stored under a space and a key. Both can be any string. */
export function checkValues(open: OpenStore): void {
  test(
    'a value is set, added if missing, and deleted',
    opened(open, async (store) => {
      assert.equal(await store.get('s', 'k'), undefined);
      await store.set('s', 'k', { a: [1, null, 'x'] });
      assert.deepEqual(await store.get('s', 'k'), { a: [1, null, 'x'] });
      assert.equal(await store.add('s', 'k', 2), false);
      await store.set('s', 'k', null);
      assert.equal(await store.get('s', 'k'), null);
      assert.equal(await store.add('s', 'k', 2), false);
      await store.delete('s', 'k');
      await store.delete('s', 'k');
      assert.equal(await store.get('s', 'k'), undefined);
      assert.equal(await store.add('s', 'k', 2), true);
      assert.equal(await store.get('s', 'k'), 2);
    }),
  );

  test(
    'only one of many adds wins',
    opened(open, async (store) => {
      const won = await Promise.all(Array.from({ length: 20 }, (_, index) => store.add('s', 'k', index)));
      assert.equal(won.filter(Boolean).length, 1);
      assert.equal(await store.get('s', 'k'), won.indexOf(true));
    }),
  );

  test(
    'a swap replaces a value only if it is the expected one',
    opened(open, async (store) => {
      const odd = JSON.parse('{"b":[1,{"2":null,"1":"\\ud800"}],"a":-0,"__proto__":1.5e300}') as Json;
      assert.equal(await store.swap('s', 'k', 1, 2), false);
      assert.equal(await store.swap('s', 'k', undefined, odd), true);
      assert.equal(await store.swap('s', 'k', undefined, 2), false);
      assert.equal(await store.swap('s', 'k', undefined, undefined), false);
      assert.equal(await store.swap('s', 'k', await store.get('s', 'k'), null), true);
      assert.equal(await store.get('s', 'k'), null);
      assert.equal(await store.swap('s', 'k', undefined, 2), false);
      assert.equal(await store.swap('s', 'k', 1, undefined), false);
      assert.equal(await store.swap('s', 'k', null, undefined), true);
      assert.equal(await store.swap('s', 'k', undefined, undefined), true);
      await store.set('s', 'timed', 1, 0);
      assert.equal(await store.swap('s', 'timed', 1, 2), false);
      assert.equal(await store.swap('s', 'timed', undefined, 2), true);
      await store.set('s', 'timed', 3, 1_000_000);
      assert.equal(await store.swap('s', 'timed', 3, 4), true);
      assert.deepEqual([...(await store.entries('s'))], [['timed', 4]]);
    }),
  );

  test(
    'a value that is swapped expires after the time of the swap',
    opened(open, async (store) => {
      for (const before of [undefined, 1]) {
        assert.ok(await store.swap('s', 'k', before, 1, 1_000_000));
        assert.equal(await store.get('s', 'k'), 1);
      }
      assert.ok(await store.swap('s', 'k', 1, 2, 0));
      assert.equal(await store.get('s', 'k'), undefined);
      assert.equal(await store.swap('s', 'k', 2, 3), false);
      assert.ok(await store.swap('s', 'k', undefined, 3));
      assert.equal(await store.get('s', 'k'), 3);
    }),
  );

  test(
    'many swaps at once lose nothing',
    opened(open, async (store) => {
      const increment = async (): Promise<void> => {
        for (;;) {
          const before = await store.get('s', 'k');
          if (await store.swap('s', 'k', before, Number(before ?? 0) + 1)) return;
        }
      };
      await Promise.all(Array.from({ length: 12 }, increment));
      assert.equal(await store.get('s', 'k'), 12);
    }),
  );

  test(
    'an append whose values have changed writes nothing',
    opened(open, async (store) => {
      const epoch = await makeRun(store, 'r1', started());
      await store.set('s', 'read', 1);
      const entry = (key: string, expected: Json | undefined, value: Json | undefined) => ({
        space: 's',
        key,
        value,
        expected: { value: expected },
      });
      const append = (...entries: readonly ReturnType<typeof entry>[]): Promise<number> =>
        store.append('r1', epoch, [note('x')], [{ space: 's', key: 'other', value: 9 }, ...entries]);
      for (const stale of [entry('read', 2, 3), entry('read', undefined, 3), entry('none', null, 3)]) {
        await assert.rejects(append(entry('new', undefined, 1), stale), { code: 'skill.conflict' });
        assert.deepEqual([...(await store.entries('s'))], [['read', 1]]);
      }
      assert.equal((await readAll(store, 'r1')).length, 1);
      assert.equal(await append(entry('read', 1, { two: 2 }), entry('new', undefined, 1)), 2);
      assert.equal(await append(entry('read', { two: 2 }, undefined), entry('new', 1, 1)), 3);
      assert.deepEqual(
        [...(await store.entries('s'))],
        [
          ['new', 1],
          ['other', 9],
        ],
      );
      await store.claim('r1', 'you');
      await rejectsWithClaimLost(append(entry('new', 1, 2)));
      await rejectsWithClaimLost(append(entry('new', 5, 2)));
    }),
  );

  test(
    'of appends that read the same value at once, one wins',
    opened(open, async (store) => {
      const ids = Array.from({ length: 6 }, (_, index) => `r${index}`);
      for (const before of [undefined, 'first']) {
        const value = before === undefined ? 'first' : 'second';
        const results = await Promise.allSettled(
          ids.map(async (id) => {
            const epoch = await store.claim(id, 'me');
            await store.append(
              id,
              epoch,
              [note(id)],
              [{ space: 's', key: 'k', value, expected: { value: before } }],
            );
          }),
        );
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      }
      const logs = await Promise.all(ids.map((id) => readAll(store, id)));
      assert.equal(logs.flat().length, 2);
    }),
  );

  test(
    'an expired value is absent at once',
    opened(open, async (store) => {
      await store.set('s', 'k', 1, 0);
      assert.equal(await store.get('s', 'k'), undefined);
      assert.equal((await store.entries('s')).size, 0);
      assert.equal(await store.add('s', 'k', 2, 0), true);
      assert.equal(await store.add('s', 'k', 3), true);
      assert.equal(await store.add('s', 'k', 4), false);
      await store.set('s', 'k', 5, 1_000_000);
      assert.equal(await store.get('s', 'k'), 5);
      assert.equal(await store.add('s', 'k', 6), false);
      await store.set('s', 'k', 7, 0);
      await store.set('s', 'k', 8);
      assert.equal(await store.get('s', 'k'), 8);
    }),
  );

  test(
    'clearing a space removes only its values',
    opened(open, async (store) => {
      await store.clear('s');
      await store.set('s', 'k', 1);
      await store.set('s', 'timed', 1, 0);
      await store.set('s', 'k'.repeat(10_000), 1);
      for (const near of ['', 'S', 's ', 's/', 's/k', 's%', '_']) await store.set(near, 'k', 2);
      await store.clear('s');
      assert.equal((await store.entries('s')).size, 0);
      assert.equal(await store.get('s', 'k'), undefined);
      for (const near of ['', 'S', 's ', 's/', 's/k', 's%', '_']) assert.equal(await store.get(near, 'k'), 2);
      await store.clear('%');
      await store.clear('_');
      assert.equal(await store.get('s/', 'k'), 2);
      assert.equal(await store.add('s', 'k', 3), true);
    }),
  );

  test(
    'any strings can be space and key, and no two collide',
    opened(open, async (store) => {
      const long = longText();
      const texts = [...unusualTexts, long, `${long}x`, 'k'.repeat(10_000), `${'k'.repeat(10_000)}k`];
      for (const [index, text] of texts.entries()) {
        await store.set('many', text, index);
        await store.set(text, 'one', index);
        await store.set(text, text, text);
      }
      for (const [index, text] of texts.entries()) {
        assert.deepEqual([await store.get('many', text), await store.get(text, 'one')], [index, index]);
        const sorted = [
          ...new Map<string, Json>([
            ['one', index],
            [text, text],
          ]),
        ].sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual([...(await store.entries(text))], sorted);
      }
      assert.deepEqual([...(await store.entries('many')).keys()], [...texts].sort());
      for (const text of texts) await store.delete('many', text);
      for (const [index, text] of texts.entries()) {
        await store.clear(text);
        assert.equal((await store.entries(text)).size, 0);
        const next = texts[index + 1];
        if (next !== undefined) assert.equal(await store.get(next, 'one'), index + 1);
      }
      assert.equal((await store.entries('many')).size, 0);
      assert.equal((await store.entries('none')).size, 0);
    }),
  );
}
