import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opened, refusesOvertaken, readAll, type Open } from './opened.ts';
import { makeRun, note, started } from './samples.ts';

/** Two handles on one store see the same. */
export function checkHandles(open: Open, again: Open): void {
  test(
    'what one handle writes, the other sees',
    opened(open, async (one) => {
      const other = await again();
      try {
        const epoch = await makeRun(one, 'r1', started(), note('from one'));
        await one.set('s', 'k', 1);
        assert.deepEqual(await readAll(other, 'r1'), await readAll(one, 'r1'));
        assert.deepEqual(await other.runs(), await one.runs());
        assert.equal(await other.get('s', 'k'), 1);
        assert.equal(await other.append('r1', epoch, [note('from the other')]), 3);

        const taken = await other.claim('r1', 'other');
        await refusesOvertaken(
          one.append('r1', epoch, [note('stale')], [{ space: 's', key: 'k', value: 2 }]),
        );
        assert.deepEqual([...(await one.beat(new Map([['r1', epoch]])))], ['r1']);
        assert.deepEqual([...(await one.beat(new Map([['r1', taken]])))], []);
        assert.equal(await one.get('s', 'k'), 1);
        await one.release(new Map([['r1', taken]]));
        assert.equal((await other.runs())[0]?.status, 'interrupted');
        await refusesOvertaken(other.append('r1', taken, [note('released')]));
        assert.equal(await other.remove(['r1']), 1);
        assert.deepEqual(await one.runs(), []);
      } finally {
        await other.close();
      }
    }),
  );

  test(
    'two handles that write at once lose nothing',
    opened(open, async (one) => {
      const other = await again();
      try {
        const epoch = await one.claim('r1', 'me');
        const writes = Array.from({ length: 40 }, (_, index) => {
          const handle = index % 2 === 0 ? one : other;
          const entries = ['b', 'a'].map((key) => ({ space: 's', key: `${key}${index % 3}`, value: index }));
          return handle.append(
            'r1',
            epoch,
            [note(String(index))],
            index % 4 < 2 ? entries : entries.reverse(),
          );
        });
        const ends = await Promise.all(writes);
        assert.deepEqual(
          [...ends].sort((a, b) => a - b),
          Array.from(ends, (_, index) => index + 1),
        );
        const read = await readAll(one, 'r1');
        for (const [index, end] of ends.entries())
          assert.equal((read[end - 1] as { message?: string }).message, String(index));
      } finally {
        await other.close();
      }
    }),
  );
}
