import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type PostgresServer } from '../../../../test/support/postgres.ts';
import {
  asked,
  tableStage,
  type TableStage,
  type TableStageOptions,
} from '../../../../test/support/table-stage.ts';
import type { JsonObject } from '../../../core/json.ts';

const drill = { tag: 'D-1', name: 'Drill', price: 10, quantity: 2 };
const saw = { tag: 'S-1', name: 'Saw', status: 'faulty' };

let server: PostgresServer | undefined;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

let count = 0;

/** Opens the same table in a separate schema, so that tests do not affect each other. */
async function openOn(kind: 'SQLite' | 'PostgreSQL', options: TableStageOptions = {}): Promise<TableStage> {
  if (kind === 'SQLite') return tableStage(options);
  const { default: pg } = await import('pg');
  const client = new pg.Client(server?.url ?? '');
  await client.connect();
  const schema = `talk_${++count}`;
  await client.query(`create schema ${schema}`);
  await client.end();
  const address = `${server?.url ?? ''}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  return tableStage({ ...options, database: address });
}

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  describe(`a conversation on ${kind}`, () => {
    const open = (options: TableStageOptions = {}): Promise<TableStage> => openOn(kind, options);

    test('asks for what is missing, shows it, takes a correction, and writes after a yes', async () => {
      await using on = await open();
      const missing = asked(await on.ask('add tools'));
      assert.match(missing, /needs 2 values[^]*tag: As printed on the tool[^]*name: What people call it/);
      const shown = asked(await on.say('tag D-1, name "Drill 18V", price 10, quantity 3'));
      assert.match(shown, /^Add this record to Tools\?/);
      for (const line of [/tag: +D-1/, /name: +Drill 18V/, /status: +ok/, /quantity: +3/, /worth: +30/])
        assert.match(shown, line);
      assert.deepEqual(await on.rows(), []);
      assert.match(asked(await on.say('no, name "Drill 12V"')), /name: +Drill 12V[^]*worth: +30/);
      const { text, value } = await on.say('yes');
      assert.match(text, /^Added D-1 to Tools\.[^]*Say "undo" to reverse this change\.$/);
      const row = {
        tag: 'D-1',
        name: 'Drill 12V',
        status: 'ok',
        price: 10,
        quantity: 3,
        worth: 30,
        bought_on: null,
        area_id: null,
      };
      assert.deepEqual(value, {
        operation: 'add',
        outcome: 'done',
        added: 1,
        updated: 0,
        deleted: 0,
        records: [row],
      });
      assert.deepEqual(await on.rows(), [row]);
    });

    test('shows each change of an update, works out what follows, and takes it back by undo', async () => {
      await using on = await open();
      await on.fill([drill]);
      const before = await on.rows();
      const shown = asked(await on.ask('set price to 12.5 for D-1'));
      assert.match(
        shown,
        /^Change this record of Tools\?\nD-1:\n {2}price: 10 → 12\.5\n {2}worth: 20 → 25\n/,
      );
      assert.equal((await on.say('do it')).status, 'done');
      assert.equal((await on.rows())[0]?.['worth'], 25);
      const back = asked(await on.ask('undo'));
      assert.match(
        back,
        /^Undo the last change to Tools \(1 record restored\)\?\nD-1:\n {2}price: 12\.5 → 10/,
      );
      assert.match((await on.say('y')).text, /^Undid the change to D-1 in Tools/);
      assert.deepEqual(await on.rows(), before);
      assert.equal((await on.ask('undo')).error?.code, 'usage.not-found');
    });

    test('does not take back what somebody else changed since, and asks only once', async () => {
      await using on = await open();
      await on.fill([drill]);
      asked(await on.ask('set price to 12.5 for D-1'));
      await on.say('yes');
      const where = { field: 'tag', is: 'equals', value: 'D-1' };
      await on.call({ operation: 'update', where, set: { price: 30 }, confirm: false }, { session: 'b' });
      asked(await on.ask('undo'));
      assert.equal((await on.say('yes')).error?.code, 'usage.not-found');
      const typed = await on.call({ operation: 'undo', confirm: false });
      assert.match(typed.text, /^The last change cannot be undone /);
      assert.equal((await on.rows())[0]?.['price'], 30);
    });

    test('names a listed record that is not there', async () => {
      await using on = await open();
      await on.call({ operation: 'add', records: [drill, saw], confirm: false });
      assert.match(asked(await on.ask('delete D-1, X-9')), /Drill[^]*There is no record "X-9"\./);
    });

    test('deletes what was shown, and brings it back', async () => {
      await using on = await open();
      await on.fill([drill, saw]);
      assert.match(asked(await on.ask('delete D-1')), /^Delete this record of Tools\?\n[^]*Drill/);
      assert.match((await on.say('ok')).text, /^Deleted D-1 from Tools\./);
      assert.deepEqual(
        (await on.rows()).map(({ tag }) => tag),
        ['S-1'],
      );
      asked(await on.ask('undo'));
      await on.say('yes');
      assert.deepEqual(
        (await on.rows()).map(({ tag }) => tag),
        ['D-1', 'S-1'],
      );
    });

    test('changes many at once after saying how many, or none when one is in the way', async () => {
      await using on = await open();
      await on.fill(
        Array.from({ length: 12 }, (_value, index) => ({ tag: `B-${index + 1}`, name: 'Bit', price: index })),
      );
      const shown = asked(await on.ask('set status to faulty where price >= 0'));
      assert.match(shown, /^Change 12 records of Tools\?/);
      assert.match(shown, /… and 2 more\./);
      const { value } = await on.say('yes');
      assert.equal((value as JsonObject)['updated'], 12);
      await on.fill([{ area_id: 1, name: 'Hall' }], 'areas');
      await on.fill([{ tag: 'X-1', name: 'Axe', area_id: 1 }]);
      const refused = await on.call({ operation: 'delete', many: true, confirm: false }, { skill: 'areas' });
      assert.equal(refused.error?.code, 'usage.bad-input');
      assert.equal((await on.rows('areas')).length, 1);
    });

    test('shows a concurrent change again instead of overwriting it', async () => {
      await using on = await open();
      await on.fill([drill]);
      asked(await on.ask('set price to 12 for D-1'));
      await on.call(
        {
          operation: 'update',
          where: { field: 'tag', is: 'equals', value: 'D-1' },
          set: { price: 99 },
          confirm: false,
        },
        { session: 'b' },
      );
      const again = asked(await on.say('yes'));
      assert.match(again, /^Someone else changed [^]*price: 99 → 12/);
      assert.equal((await on.rows())[0]?.['price'], 99);
      await on.say('yes');
      assert.equal((await on.rows())[0]?.['price'], 12);
    });

    test('ends when the record that was shown is gone', async () => {
      await using on = await open();
      await on.fill([drill]);
      asked(await on.ask('delete D-1'));
      await on.call({ operation: 'delete', many: true, confirm: false }, { session: 'b' });
      const { status, text, error } = await on.say('yes');
      assert.deepEqual([status, error?.code], ['failed', 'usage.not-found']);
      assert.match(text, /Nothing was changed/);
    });

    test('lets a refused record be corrected', async () => {
      await using on = await open();
      await on.fill([drill]);
      asked(await on.ask('add tools tag D-1, name Saw'));
      const refused = asked(await on.say('yes'));
      assert.match(refused, /cannot be written to Tools yet:\n- .*D-1/);
      assert.match(asked(await on.say('tag D-2')), /tag: +D-2/);
      await on.say('yes');
      assert.deepEqual(
        (await on.rows()).map(({ tag, name }) => [tag, name]),
        [
          ['D-1', 'Drill'],
          ['D-2', 'Saw'],
        ],
      );
    });
  });
}
