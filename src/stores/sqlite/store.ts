import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { AgentError, type Store } from '../../core/index.ts';
import { createBreath } from '../async.ts';
import type { EventRecord } from '../encoding.ts';
import type { AppendValues, Backend } from '../sql/append.ts';
import { compile, type BoundStatement, type Dialect, type Statement } from '../sql/dialect.ts';
import { migrationTable, migrations, pendingOf, type Migration } from '../sql/migrations.ts';
import { fenceOf, type FenceValues } from '../sql/run-statements.ts';
import { createSqlStore } from '../sql/store.ts';
import { buildValueStatements } from '../sql/value-statements.ts';
import { loadSqlite, toStoreError, transact, withPatience } from './driver.ts';
import { idIn, makeOwnFile, readStoreHead, type StoreHead } from './store-file.ts';

/** Opens a store in one file, which is made for its owner only when missing; any number of processes may share it. */
export async function openSqliteStore(path: string): Promise<Store> {
  await makeFile(path).catch((thrown: unknown) => {
    throw toStoreError(thrown, `store ${path}`);
  });
  return createSqlStore(await openSqliteBackend(path));
}

async function makeFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await makeOwnFile(path);
}

/** Opens a file as the database of a store; it is made when missing. */
async function openSqliteBackend(path: string): Promise<Backend> {
  const { DatabaseSync } = loadSqlite();
  const dialect = buildSqliteDialect();
  const named = `store ${path}`;
  const head = readStoreHead(path);
  const connection = await withPatience(named, () => new DatabaseSync(path, { timeout: 0, defensive: true }));
  try {
    await withPatience(named, () => connection.exec('pragma trusted_schema = off'));
    await withPatience(named, () => connection.exec('pragma journal_mode = wal'));
    // A commit is on the disk when it returns and survives the loss of power; NORMAL would survive only our own end.
    await withPatience(named, () => connection.exec('pragma synchronous = full'));
    await withPatience(named, () => checkId(connection, head, path));
    await withPatience(named, () => migrateSqlite(connection, dialect, path));
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
  return buildSqliteBackend(connection, dialect, named);
}

/** The id never changes while a store is used: another one comes from a log of writes that belongs to another database. */
function checkId(connection: DatabaseSync, head: StoreHead, path: string): void {
  if (head.is !== 'store' || head.id === undefined || idIn(connection) === head.id) return;
  throw new AgentError('sandbox.store', `${path}-wal belongs to another database than ${path}.`, {
    hint: `Move it away: \`mv ${path}-wal ${path}-wal.other\``,
  });
}

/** The database of a store on an open connection, which it closes. */
export function buildSqliteBackend(connection: DatabaseSync, dialect: Dialect, named: string): Backend {
  const run = createRunner(connection);
  const onValues = buildValueStatements(dialect);
  const fence = compile<FenceValues, { seq: number }>(dialect, fenceOf(dialect));
  const insert = compile<EventRecord & { runId: string; seq: number }>(
    dialect,
    `insert into ${dialect.table('events')} (run_id, seq, v, at, frame_id, type, body)
      values (:runId, :seq, :v, :at, :frame_id, :type, :body)`,
  );
  const perform = <Values, Row>(statement: Statement<Values, Row>, values: Values): readonly Row[] =>
    run(statement.bind(values)) as readonly Row[];

  const write = (values: AppendValues): number | undefined => {
    const [end] = perform(fence, values.fence);
    if (end === undefined) return undefined;
    const { runId, count } = values.fence;
    for (const [index, record] of values.records.entries())
      perform(insert, { ...record, runId, seq: end.seq - count + 1 + index });
    for (const value of values.kept) perform(onValues.set, value);
    for (const address of values.dropped) perform(onValues.delete, address);
    return end.seq;
  };

  const breath = createBreath();
  const attempt = async <Value>(work: () => Value): Promise<Value> => {
    const value = await withPatience(named, work);
    await breath.take();
    return value;
  };

  return {
    dialect,
    execute: (statement) => attempt(() => run(statement)),
    append: (values) => attempt(() => transact(connection, () => write(values))),
    close: async () => connection.close(),
  };
}

type Runner = (statement: BoundStatement) => readonly unknown[];

const mostPrepared = 100; // listings have some forms, the rest one each

/** Runs statements, each of which is prepared once. */
function createRunner(connection: DatabaseSync): Runner {
  const prepared = new Map<string, StatementSync>();

  return ({ sql, parameters }) => {
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    if (prepared.size >= mostPrepared) prepared.clear();
    prepared.set(sql, statement);
    return statement.all(...(parameters as SQLInputValue[]));
  };
}

/** How SQLite says it. */
export function buildSqliteDialect(): Dialect {
  return {
    mark: () => '?',
    table: (name) => `"${name}"`,
    now: ':now',
    text: 'text',
    list: (json) => `(select value from json_each(${json}))`,
    pairs: (json) => `(select value ->> 0, value ->> 1 from json_each(${json}))`,
  };
}

/** Makes the steps that this database needs, all or nothing; does not write when there are none. Throws while it is locked. */
export function migrateSqlite(
  connection: DatabaseSync,
  dialect: Dialect,
  path: string,
  known: readonly Migration[] = migrations,
): void {
  const pending = (): readonly Migration[] => pendingOf(known, appliedIn(connection), path);
  if (pending().length === 0) return;
  transact(connection, () => {
    connection.exec(migrationTable(dialect));
    for (const { number, statements } of pending()) {
      for (const statement of statements(dialect)) connection.exec(statement);
      connection.prepare('insert into migrations (number) values (?)').run(number);
    }
    return 'done';
  });
}

function appliedIn(connection: DatabaseSync): readonly number[] {
  const [table] = connection.prepare("select name from sqlite_master where name = 'migrations'").all();
  if (table === undefined) return [];
  return connection
    .prepare('select number from migrations')
    .all()
    .map(({ number }) => Number(number));
}
