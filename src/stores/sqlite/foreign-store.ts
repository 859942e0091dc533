import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AgentError, type Store } from '../../core/index.ts';
import { execute, type SqlConnection } from '../sql/connection.ts';
import { migrate, migrations, type Migration } from '../sql/migrations.ts';
import { openSqlite } from './connection.ts';
import { toStoreError } from './driver.ts';
import { createSqliteStore, sqliteDialect } from './store.ts';

/** A checked, private copy of a store of unknown origin. SQLite never opens the original file. */
interface ForeignCopy extends AsyncDisposable {
  readonly connection: SqlConnection;
}

/**
 * Opens a private copy of a store of unknown origin for reading. Closing the returned store deletes the copy.
 */
export async function openForeignStore(path: string): Promise<Store> {
  const copy = await copyForeign(path);
  await execute(copy.connection, 'pragma query_only = on');
  return createSqliteStore({ ...copy.connection, close: async () => await copy[Symbol.asyncDispose]() });
}

/**
 * Copies a store and its write-ahead log to a private folder and checks the copy. The copy must have exactly
 * the tables of a store, values of the right types, and no triggers, views or damaged pages.
 */
export async function copyForeign(path: string): Promise<ForeignCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'skilled-history-'));
  try {
    const copy = join(folder, 'copy.db');
    let room = maxBytes;
    for (const end of ['', '-wal', '-journal'])
      room -= await copyFile(`${path}${end}`, `${copy}${end}`, room);
    const connection = await openCopy(copy, path);
    return {
      connection,
      async [Symbol.asyncDispose]() {
        await connection.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw toStoreError(thrown, `store ${path}`);
  }
}

const maxBytes = 2 ** 31;

/** Copies a file. Resolves to its size in bytes, or to 0 if it does not exist. */
async function copyFile(from: string, to: string, most: number): Promise<number> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const source = await open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((thrown: unknown) => {
    if ((thrown as { code?: string }).code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (source === undefined) return 0;
  await using handle = source;
  const stats = await handle.stat();
  if (!stats.isFile()) throw unusable(from, 'is not a regular file');
  if (stats.size > most) throw unusable(from, `is larger than ${most} bytes`);
  await using target = await open(to, 'wx', 0o600);
  const end = Math.max(0, stats.size - 1);
  if (stats.size > 0)
    await pipeline(handle.createReadStream({ start: 0, end, autoClose: false }), target.createWriteStream());
  return stats.size;
}

/**
 * The pragmas for a file of unknown origin. `journal_mode = delete` also applies the file's write-ahead log.
 */
export const foreignPragmas = [
  'trusted_schema = off',
  'cell_size_check = on',
  'mmap_size = 0',
  'journal_mode = delete',
];

async function openCopy(copy: string, path: string): Promise<SqlConnection> {
  const connection = await openSqlite(copy, { use: 'store', location: path }, foreignPragmas);
  try {
    await checkForeign(connection);
    await migrate(connection, sqliteDialect);
    return connection;
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

/** Throws `sandbox.store` unless a database is a valid store. */
export async function checkForeign(connection: SqlConnection): Promise<void> {
  await checkTables(connection); // Check the tables first, because a view could return infinitely many rows.
  const [row] = await execute(connection, 'pragma integrity_check(1)');
  if (row?.['integrity_check'] !== 'ok') throw unusable(connection.location, 'is damaged');
  await checkValues(connection);
}

/** Checks that the tables and indexes are exactly those of a known schema version. */
async function checkTables(connection: SqlConnection): Promise<void> {
  const found = await tablesIn(connection);
  for (const [index] of migrations.entries())
    if (found === (await tablesAfter(migrations.slice(0, index + 1)))) return;
  throw unusable(connection.location, 'does not have the tables of this version of skilled or an older one');
}

async function tablesAfter(steps: readonly Migration[]): Promise<string> {
  const fresh = await openSqlite(':memory:', { use: 'store', location: 'memory' });
  try {
    await migrate(fresh, sqliteDialect, steps);
    return await tablesIn(fresh);
  } finally {
    await fresh.close();
  }
}

async function tablesIn(connection: SqlConnection): Promise<string> {
  const sql = 'select type, name, tbl_name, sql from sqlite_schema order by type, name';
  return JSON.stringify(await execute(connection, sql));
}

const texts = {
  runs: ['run_id', 'epoch', 'status', 'skill', 'session_id', 'title', 'owner'],
  events: ['run_id', 'frame_id', 'type', 'body'],
  entries: ['space', 'key', 'value'],
};
const numbers = {
  runs: ['seq', 'started_at', 'updated_at', 'beat_at'],
  events: ['seq', 'v', 'at'],
  entries: [],
};
const json = { runs: [], events: ['body'], entries: ['value'] };

/** Checks the type of each value, because SQLite accepts any value in any column. */
async function checkValues(connection: SqlConnection): Promise<void> {
  for (const table of ['runs', 'events', 'entries'] as const) {
    const faults = [
      ...texts[table].map((column) => `typeof(${column}) <> 'text'`),
      ...numbers[table].map((column) => `typeof(${column}) not in ('integer', 'real')`),
      ...json[table].map((column) => `not json_valid(${column})`),
    ];
    const sql = `select 1 from ${table} where ${faults.join(' or ')} limit 1`;
    if ((await execute(connection, sql)).length > 0)
      throw unusable(connection.location, `has invalid values in "${table}"`);
  }
}

function unusable(path: string, fault: string): AgentError {
  return new AgentError('sandbox.store', `${path} ${fault}, so it cannot be read as a run history.`, {
    hint: 'If you do not need it, remove it; new runs are kept in your own folder.',
  });
}
