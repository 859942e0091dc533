import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { AgentError, type Store } from '../../core/index.ts';
import { migrations } from '../sql/migrations.ts';
import { createSqlStore } from '../sql/store.ts';
import { loadSqlite, toStoreError } from './driver.ts';
import { buildSqliteBackend, buildSqliteDialect, migrateSqlite } from './store.ts';

/** A private copy of a store whose origin is unknown: it was checked, and nothing in the original was touched. */
interface ForeignCopy extends AsyncDisposable {
  readonly connection: DatabaseSync;
}

/** Opens a store that somebody else may have made, for reading: a private copy of it, which is gone when it is closed. */
export async function openForeignStore(path: string): Promise<Store> {
  const copy = await copyForeign(path);
  copy.connection.exec('pragma query_only = on');
  const backend = buildSqliteBackend(copy.connection, buildSqliteDialect(), `store ${path}`);
  return createSqlStore({ ...backend, close: async () => await copy[Symbol.asyncDispose]() });
}

/**
 * Copies a store with its log of writes, as SQLite would see it, into a private folder, and checks the copy: its tables
 * must be exactly ours and its values of the right types, without triggers, views or damaged pages.
 */
export async function copyForeign(path: string): Promise<ForeignCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'skilled-history-'));
  try {
    const copy = join(folder, 'copy.db');
    let room = mostBytes;
    for (const end of ['', '-wal', '-journal'])
      room -= await copyFile(`${path}${end}`, `${copy}${end}`, room);
    const connection = openCopy(copy, path);
    return {
      connection,
      async [Symbol.asyncDispose]() {
        connection.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw toStoreError(thrown, `store ${path}`);
  }
}

const mostBytes = 2 ** 31;

/** Resolves with the length; a file that is missing has none. */
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

function openCopy(copy: string, path: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const connection = new DatabaseSync(copy, { defensive: true });
  try {
    connection.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma mmap_size = 0');
    connection.exec('pragma journal_mode = delete'); // takes over what the log of writes says
    checkForeign(connection, path);
    migrateSqlite(connection, buildSqliteDialect(), path);
    return connection;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

/** Throws `sandbox.store` unless an open database is a sound store of ours. */
export function checkForeign(connection: DatabaseSync, path: string): void {
  checkTables(connection, path); // first: what else is read could be a view that never ends
  const [row] = connection.prepare('pragma integrity_check(1)').all();
  if (row?.['integrity_check'] !== 'ok') throw unusable(path, 'is damaged');
  checkValues(connection, path);
}

/** Tables and indexes must be those of one of our versions, to the letter. */
function checkTables(connection: DatabaseSync, path: string): void {
  const found = tablesIn(connection);
  const { DatabaseSync } = loadSqlite();
  const isOurs = migrations.some((_, index) => {
    using fresh = new DatabaseSync(':memory:');
    migrateSqlite(fresh, buildSqliteDialect(), path, migrations.slice(0, index + 1));
    return tablesIn(fresh) === found;
  });
  if (!isOurs) throw unusable(path, 'has other tables than a store of this version or an older one');
}

function tablesIn(connection: DatabaseSync): string {
  return JSON.stringify(
    connection.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all(),
  );
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

/** SQLite takes any value in any column; what reads them does not. */
function checkValues(connection: DatabaseSync, path: string): void {
  for (const table of ['runs', 'events', 'entries'] as const) {
    const faults = [
      ...texts[table].map((column) => `typeof(${column}) <> 'text'`),
      ...numbers[table].map((column) => `typeof(${column}) not in ('integer', 'real')`),
      ...json[table].map((column) => `not json_valid(${column})`),
    ];
    const sql = `select 1 from ${table} where ${faults.join(' or ')} limit 1`;
    if (connection.prepare(sql).get() !== undefined)
      throw unusable(path, `has values in "${table}" that no store has`);
  }
}

function unusable(path: string, fault: string): AgentError {
  return new AgentError('sandbox.store', `${path} ${fault}, so it cannot be read as a history of runs.`, {
    hint: 'If you do not need it, remove it; new runs are kept in your own folder.',
  });
}
