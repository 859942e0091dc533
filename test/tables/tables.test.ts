import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { startPostgres } from '../support/postgres.ts';
import { play as bookings } from './bookings.requests.ts';
import { openPostgres, openSqlite } from './open-tables.ts';
import { play as orders } from './orders.requests.ts';
import { playRequests } from './play.ts';

const plays = [orders, bookings];

const server = await startPostgres();
after(() => server?.[Symbol.asyncDispose]());

// The rules that compare a record with its previous version are code, which needs the sandbox.
describe('the tables of examples/tables', { skip: withoutBubblewrap }, () => {
  for (const play of plays) {
    const { name } = play.model;

    test(`${name}: the requests are of all kinds`, () => {
      const kinds = play.requests.map(({ ask, model }) =>
        model === undefined ? (typeof ask === 'string' ? 'words' : 'typed') : 'free words',
      );
      const count = (kind: string): number => kinds.filter((one) => one === kind).length;
      assert.equal(play.requests.length, 100);
      assert.ok(count('words') >= 65 && count('typed') >= 20 && count('free words') === 10, kinds.join());
    });

    test(`${name}: 100 requests leave exactly the expected records in SQLite`, async () => {
      await using opened = openSqlite();
      assert.deepEqual(await playRequests(play, opened), []);
    });

    const skip = server === undefined ? 'PostgreSQL is not installed' : false;
    test(`${name}: 100 requests leave exactly the expected records in PostgreSQL`, { skip }, async () => {
      assert.ok(server !== undefined);
      await using opened = await openPostgres(server);
      assert.deepEqual(await playRequests(play, opened), []);
    });
  }
});
