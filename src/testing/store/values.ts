import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../core/index.ts';
import { longText, opened, unusualTexts, type OpenStore } from './test-store.ts';

/** Values by space and key, whatever strings those are. */
export function checkValues(open: OpenStore): void {
  test(
    'a value is set, added where there is none, and deleted',
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
    'a value whose time is over is absent at once',
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
    'a space is cleared of all its values, and no other one is',
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
    'any strings may be space and key, and no two are taken for one',
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
