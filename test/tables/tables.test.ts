import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { startPostgres } from '../support/postgres.ts';
import { openPostgres, openSqlite, type OpenedTables } from './open-tables.ts';
import { openStage, playRequests, type Play } from './play.ts';
import { plays } from './plays.ts';

// The rules that compare a record with its previous version are code, which needs the sandbox.
describe('the tables of examples/tables', { skip: withoutBubblewrap }, () => {
  test('have requests of all kinds', () => {
    for (const { requests } of plays) {
      const kinds = requests.map(({ ask, model }) =>
        model === undefined ? (typeof ask === 'string' ? 'words' : 'typed') : 'free words',
      );
      const count = (kind: string): number => kinds.filter((one) => one === kind).length;
      assert.equal(requests.length, 100);
      assert.ok(count('words') >= 65 && count('typed') >= 20 && count('free words') === 10, kinds.join());
    }
  });

  test('have exactly the expected records after each request in SQLite', async (context) => {
    await using opened = openSqlite();
    await playAll(context, opened, plays);
  });

  // The long loop plays all of them. One table here keeps the tests short.
  test('have exactly the expected records after each request in PostgreSQL', async (context) => {
    await using server = await startPostgres();
    if (server === undefined) return context.skip('PostgreSQL is not installed');
    await using opened = await openPostgres(server);
    await playAll(context, opened, plays.slice(0, 1));
  });
});

async function playAll(context: TestContext, opened: OpenedTables, chosen: readonly Play[]): Promise<void> {
  await using stage = openStage(opened);
  for (const play of chosen) {
    await context.test(play.model.name, async () => {
      assert.deepEqual(await playRequests(play, stage), []);
    });
  }
}
