import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AgentError, type Store } from '../../core/index.ts';
import type { EventRecord } from '../encoding.ts';
import { execute, type SqlConnection } from '../sql/connection.ts';
import { compile, type Dialect } from '../sql/dialect.ts';
import { migrate } from '../sql/migrations.ts';
import { briefFenceOf, fenceOf, type Address, type FenceValues, type NewValue } from '../sql/statements.ts';
import { createSqlStore, type WriteAppend } from '../sql/store.ts';
import { openSqlite } from './connection.ts';
import { toStoreError } from './driver.ts';
import { makeOwnFile, readStoreHead, type StoreHead } from './store-file.ts';

/**
 * Opens a store in a file, which is created if necessary and accessible only to its owner. Any number of
 * processes can share the store.
 */
export async function openSqliteStore(path: string): Promise<Store> {
  await makeFile(path).catch((thrown: unknown) => {
    throw toStoreError(thrown, `store ${path}`);
  });
  const head = readStoreHead(path);
  const connection = await openSqlite(path, { use: 'store', location: path });
  try {
    await checkId(connection, head);
    await migrate(connection, sqliteDialect);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return createSqliteStore(connection);
}

async function makeFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await makeOwnFile(path);
}

/**
 * Checks that the id of an open store is the one in its file header. If the ids differ, the write-ahead log
 * belongs to another database.
 */
async function checkId(connection: SqlConnection, head: StoreHead): Promise<void> {
  if (head.is !== 'store' || head.id === undefined || (await idIn(connection)) === head.id) return;
  const { location } = connection;
  throw new AgentError('sandbox.store', `${location}-wal belongs to a different database than ${location}.`, {
    hint: `Move it away: \`mv ${location}-wal ${location}-wal.other\``,
  });
}

/** Returns the id of an open store, including changes that are still in the write-ahead log. */
async function idIn(connection: SqlConnection): Promise<string> {
  const [row] = await execute(
    connection,
    'select user_version, application_id from pragma_user_version, pragma_application_id',
  );
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(Number(row?.['user_version']), 0);
  bytes.writeInt32BE(Number(row?.['application_id']), 4);
  return bytes.toString('hex');
}

/** Creates a store on an open connection to a file that already has the store's tables. */
export function createSqliteStore(connection: SqlConnection): Store {
  return createSqlStore(connection, sqliteDialect, buildAppend(sqliteDialect));
}

/** The SQL dialect of SQLite. */
export const sqliteDialect: Dialect = {
  mark: () => '?',
  table: (name) => `"${name}"`,
  findMigrations: { sql: "select 1 from sqlite_schema where name = 'migrations'", parameters: [] },
  prepare: async () => {}, // nothing to do: the transaction holds the lock, and SQLite has no schemas
  now: ':now',
  forUpdate: '', // the transaction holds the lock
  text: 'text',
  list: (json) => `(select value from json_each(${json}))`,
  pairs: (json) => `(select value ->> 0, value ->> 1 from json_each(${json}))`,
};

type Claim = Pick<FenceValues, 'runId' | 'epoch'>;

/**
 * Builds the statements of an append. Every statement depends on the claim, so a writer without a valid claim
 * writes nothing.
 */
function buildAppend(dialect: Dialect): WriteAppend {
  const [events, entries] = [dialect.table('events'), dialect.table('entries')];
  const claimed = `from ${dialect.table('runs')} where run_id = :runId and epoch = :epoch`;
  const fence = compile<FenceValues>(dialect, fenceOf(dialect));
  const briefFence = compile<FenceValues>(dialect, briefFenceOf(dialect));
  const add = compile<EventRecord & Claim & { after: number }>(
    dialect,
    `insert into ${events} (run_id, seq, v, at, frame_id, type, body)
      select run_id, seq - :after, :v, :at, :frame_id, :type, :body ${claimed}`,
  );
  const save = compile<NewValue & Claim>(
    dialect,
    `insert into ${entries} (space, key, long_key, value) select :space, :key, :longKey, :value ${claimed}
      on conflict (space, key) do update set value = excluded.value, expires_at = null`,
  );
  const drop = compile<Address & Claim>(
    dialect,
    `delete from ${entries} where space = :space and key = :key and exists (select 1 ${claimed})`,
  );

  return ({ fence: values, records, saved, dropped }) => {
    const { runId, epoch, count } = values;
    return [
      (changesRun(values) ? fence : briefFence).bind(values),
      ...records.map((record, index) => add.bind({ ...record, runId, epoch, after: count - 1 - index })),
      ...saved.map((value) => save.bind({ ...value, runId, epoch })),
      ...dropped.map((address) => drop.bind({ ...address, runId, epoch })),
    ];
  };
}

function changesRun({ status, skill, session, title, prepares }: FenceValues): boolean {
  return [status, skill, session, title, prepares].some((value) => value !== null);
}
