import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { startPostgres } from '../../../test/support/postgres.ts';
import { isAgentError } from '../../core/error.ts';
import { storeContract } from '../../testing/store/contract.ts';
import { openPostgresStore } from './store.ts';

// Other test files may share the server. Each uses its own database.
const ownConnections = 'from pg_stat_activity where datname = current_database()';
const server = await startPostgres();
after(() => server?.[Symbol.asyncDispose]());

if (server === undefined) test('the PostgreSQL store', { skip: 'PostgreSQL is not installed' });
else describe('PostgreSQL', () => checkPostgres(server.url));

function checkPostgres(url: string): void {
  let last = 0;
  const schema = (): string => `contract "${last}"`;

  storeContract(
    'PostgreSQL',
    () => {
      last += 1;
      return openPostgresStore(url, { schema: schema() });
    },
    {
      again: () => openPostgresStore(url, { schema: schema() }),
      async pass(milliseconds) {
        const name = pg.escapeIdentifier(schema());
        const back = (column: string): string => `${column} = ${column} - ${milliseconds}`;
        await ask(`update ${name}.runs set ${['started_at', 'updated_at', 'beat_at'].map(back).join(', ')}`);
        await ask(`update ${name}.entries set ${back('expires_at')}`);
      },
    },
  );

  async function ask(sql: string): Promise<readonly unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as readonly unknown[];
    } finally {
      await client.end();
    }
  }

  test('stores in different schemas are apart, and one schema keeps its values', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => openPostgresStore(url, { schema: name })),
    );
    await one?.set('s', 'k', 1);
    assert.equal(await other?.get('s', 'k'), undefined);
    await Promise.all([one?.close(), other?.close()]);
    const again = await openPostgresStore(url, { schema: 'one' });
    assert.equal(await again.get('s', 'k'), 1);
    await again.close();
  });

  test('many openings of a new store at once all succeed', async () => {
    const stores = await Promise.all(
      Array.from({ length: 10 }, () => openPostgresStore(url, { schema: 'fresh' })),
    );
    await Promise.all(stores.map((store, index) => store.set('s', String(index), index)));
    assert.equal((await stores[0]?.entries('s'))?.size, 10);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('appends that wait for the lock of a claim are refused when it is given', async () => {
    const store = await openPostgresStore(url, { schema: 'locked' });
    const epoch = await store.claim('r1', 'me');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('begin');
    await client.query("update locked.runs set epoch = 'taken' where run_id = 'r1'");
    const entry = { space: 's', key: 'k', value: 1 };
    const note = { frameId: '', at: 1, type: 'note.added', key: 'n', message: 'x' } as const;
    const appended = store.append('r1', epoch, [note], [entry]);
    const refused = assert.rejects(appended, { code: 'internal.claim-lost' });
    while ((await ask(`select 1 ${ownConnections} and wait_event_type = 'Lock'`)).length === 0); // until it waits for the lock
    await client.query('commit');
    await refused;
    await client.end();
    assert.equal(await store.get('s', 'k'), undefined);
    assert.deepEqual(await ask('select * from locked.events'), []);
    await store.close();
  });

  test('a removal that waits for an append takes its events away too', async () => {
    const store = await openPostgresStore(url, { schema: 'removed' });
    await store.claim('r1', 'me');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('begin');
    await client.query("update removed.runs set seq = 1 where run_id = 'r1'");
    await client.query("insert into removed.events values ('r1', 1, 1, 1, '', 'note.added', '{}')");
    const removed = store.remove(['r1']);
    while ((await ask(`select 1 ${ownConnections} and wait_event_type = 'Lock'`)).length === 0);
    await client.query('commit');
    assert.equal(await removed, 1);
    await client.end();
    assert.deepEqual(await ask('select * from removed.events'), []);
    await store.close();
  });

  test('lost connections do not end the process, and new ones are made', async () => {
    const store = await openPostgresStore(url, { schema: 'lost' });
    await store.set('s', 'k', 1);
    await ask(`select pg_terminate_backend(pid) ${ownConnections} and application_name = 'skilled'`);
    const attemptOne = async (): Promise<unknown> => {
      try {
        return await store.get('s', 'k');
      } catch (thrown) {
        assert.ok(isAgentError(thrown), 'it is not refused as it should be');
        return undefined;
      }
    };
    let value: unknown;
    for (let attempt = 0; attempt < 20 && value === undefined; attempt += 1) value = await attemptOne();
    assert.equal(value, 1);
    await store.close();
  });

  test('an address that leads nowhere is refused without its password', async () => {
    const { port } = new URL(url);
    const wrong = [
      [`postgres://me:secret@127.0.0.1:1/none`, /"none" on 127\.0\.0\.1:1 /],
      [
        `postgres://postgres:secret@127.0.0.1:${port}/absent`,
        /"absent" on 127\.0\.0\.1:\d+ .*does not exist/,
      ],
      ['postgres://me:secret@[bad/none', /URL of the PostgreSQL database is invalid/],
    ] as const;
    for (const [address, message] of wrong) {
      const thrown: unknown = await openPostgresStore(address).catch((error: unknown) => error);
      assert.ok(isAgentError(thrown), String(thrown));
      assert.equal(thrown.code, 'sandbox.store');
      assert.match(thrown.message, message);
      assert.ok(
        !JSON.stringify([thrown.message, thrown.hint, thrown.cause, String(thrown.cause)]).includes('secret'),
      );
    }
  });
}
