import { sql } from 'kysely';
import { counted, type Database } from '../../../core/index.ts';
import { fullName, runPiece } from '../../../engines/sql/pieces.ts';
import type { Author, LastWrite, Written, Changes } from './change.ts';
import type { RecordsContext } from './records-context.ts';

/** The result of a write, with the changes that would undo it. */
export interface Applied {
  readonly written: Extract<Written, { readonly outcome: 'done' }>;
  readonly inverse: Changes;
}

const known = new WeakSet<Database>();

/** Creates the tables that store writes and their undo data if they do not exist yet. */
export async function createHistoryTables(context: RecordsContext): Promise<void> {
  if (await hasHistoryTables(context)) return;
  const number =
    context.kind === 'sqlite'
      ? sql`integer primary key autoincrement`
      : sql`bigint generated always as identity primary key`;
  const statements = [
    sql`create table if not exists skilled_writes (
      number ${number}, step_id text not null unique, table_name text not null, session text not null,
      at bigint not null, kind text not null, changes integer not null, has_images integer not null,
      undone_by text, result text not null)`,
    sql`create table if not exists skilled_undo (
      write_number bigint not null, part integer not null, changes text not null, primary key (write_number, part))`,
    sql`create index if not exists skilled_writes_of_table on skilled_writes (table_name, number)`,
  ];
  for (const statement of statements) await runPiece(context, statement);
}

/** Whether the history tables exist. Caches a positive result. */
async function hasHistoryTables(context: RecordsContext): Promise<boolean> {
  const { database, kind } = context;
  if (known.has(database)) return true;
  const [row] = await runPiece(
    context,
    kind === 'sqlite'
      ? sql`select count(*) as found from sqlite_master where type = 'table' and name in ('skilled_writes', 'skilled_undo')`
      : sql`select (to_regclass('skilled_writes') is not null and to_regclass('skilled_undo') is not null)::int * 2 as found`,
  );
  const isThere = Number(row?.['found']) === 2;
  if (isThere) known.add(database);
  return isThere;
}

/** Returns the stored result of a step that has already written its changes, if there is one. */
export async function readWritten(context: RecordsContext, stepId: string): Promise<Written | undefined> {
  if (!(await hasHistoryTables(context))) return undefined;
  return findWritten(context, stepId);
}

/** Does the same as `readWritten` in a database whose history tables exist. */
export async function findWritten(context: RecordsContext, stepId: string): Promise<Written | undefined> {
  const [row] = await runPiece(context, sql`select result from skilled_writes where step_id = ${stepId}`);
  return row === undefined ? undefined : (JSON.parse(String(row['result'])) as Written);
}

/**
 * Returns a session's last write to a table that has not been undone, with the changes that would undo it.
 */
export async function readLastWrite(
  context: RecordsContext,
  session: string,
): Promise<LastWrite | undefined> {
  if (!(await hasHistoryTables(context))) return undefined;
  const [row] = await runPiece(
    context,
    sql`select number, step_id, changes from skilled_writes
      where table_name = ${fullName(context.physical)} and session = ${session} and kind = 'write' and undone_by is null
      order by number desc limit 1`,
  );
  if (row === undefined) return undefined;
  const stepId = String(row['step_id']);
  const parts = await runPiece(
    context,
    sql`select changes from skilled_undo where write_number = ${Number(row['number'])} order by part`,
  );
  const changes = parts.flatMap((part) => JSON.parse(String(part['changes'])) as Changes);
  const count = Number(row['changes']);
  return changes.length === count ? { stepId, changes } : { stepId, changes: [], unrecoverableCount: count };
}

/** Returns why a write cannot be undone, or undefined if it exists, is reversible and has not been undone. */
export async function whyFinal(
  context: RecordsContext,
  { stepId, unrecoverableCount }: LastWrite,
): Promise<string | undefined> {
  const [row] = await runPiece(
    context,
    sql`select undone_by from skilled_writes
      where step_id = ${stepId} and table_name = ${fullName(context.physical)} and kind = 'write'`,
  );
  if (row === undefined) return 'That change is too old to undo.';
  if (row['undone_by'] !== null) return 'That change has already been undone.';
  if (unrecoverableCount === undefined) return undefined;
  return `That change (${counted(unrecoverableCount, 'record')}) cannot be undone because the previous values were not kept or are no longer available.`;
}

/** Records a step's write together with its undo data. A write that undoes another write cannot be undone. */
export async function recordWrite(
  context: RecordsContext,
  { stepId, session }: Author,
  { written, inverse }: Applied,
  taken: LastWrite | undefined,
): Promise<void> {
  const hasImages = taken === undefined && written.isFinal !== true;
  const values = [
    ...[stepId, fullName(context.physical), session, Date.now(), taken === undefined ? 'write' : 'undo'],
    ...[inverse.length, hasImages ? 1 : 0, JSON.stringify(written)],
  ];
  const [row] = await runPiece(
    context,
    sql`insert into skilled_writes (step_id, table_name, session, at, kind, changes, has_images, result)
      values (${sql.join(values)}) returning number`,
  );
  const number = Number(row?.['number']);
  let part = 0;
  for (const images of hasImages ? textsOf(inverse) : [])
    await runPiece(
      context,
      sql`insert into skilled_undo (write_number, part, changes) values (${number}, ${part++}, ${images})`,
    );
  if (taken !== undefined) {
    const undone = sql`select number from skilled_writes where step_id = ${taken.stepId}`;
    await runPiece(
      context,
      sql`update skilled_writes set undone_by = ${stepId} where step_id = ${taken.stepId}`,
    );
    await runPiece(context, sql`delete from skilled_undo where write_number = (${undone})`);
  }
  if (number % every === 0) await pruneWrites(context);
}

// The limits for one row of undo data, in changes and characters. A single change may exceed the character
// limit.
const imagesAtOnce = 200;
const maxCharacters = 4_000_000;

/** Splits changes into JSON lists that each fit into one row. */
function* textsOf(changes: Changes): Generator<string> {
  let texts: string[] = [];
  let characters = 0;
  for (const change of changes) {
    const text = JSON.stringify(change);
    if (texts.length === imagesAtOnce || (texts.length > 0 && characters + text.length > maxCharacters)) {
      yield `[${texts.join()}]`;
      [texts, characters] = [[], 0];
    }
    texts.push(text);
    characters += text.length;
  }
  if (texts.length > 0) yield `[${texts.join()}]`;
}

const maxWrites = 50; // Undo data is kept for at most this many writes per table.
const day = 24 * 60 * 60 * 1000;
const longestImages = 7 * day;
// Step ids are kept for 30 days, because an interrupted run may be resumed late. Old entries are pruned only
// on every eighth write, so that writers do not wait for each other.
const longestIds = 30 * day;
const every = 8;

/** Deletes the undo data of old writes, and later the writes themselves. */
async function pruneWrites(context: RecordsContext): Promise<void> {
  const now = Date.now();
  const name = fullName(context.physical);
  const [oldest] = await runPiece(
    context,
    sql`select number from skilled_writes where table_name = ${name} order by number desc limit 1 offset ${maxWrites - 1}`,
  );
  const first = Number(oldest?.['number'] ?? 0);
  const gone = sql`table_name = ${name} and has_images = 1 and (number < ${first} or at < ${now - longestImages})`;
  const statements = [
    sql`delete from skilled_undo where write_number in (select number from skilled_writes where ${gone})`,
    sql`update skilled_writes set has_images = 0 where ${gone}`,
    sql`delete from skilled_writes where table_name = ${name} and number < ${first} and at < ${now - longestIds}`,
  ];
  for (const statement of statements) await runPiece(context, statement);
}
