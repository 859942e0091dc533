import { sql } from 'kysely';
import { chunksOf, runPiece, sequencePiece, type Piece } from '../../../engines/sql/pieces.ts';
import type { TableRow, TableRows } from '../table.ts';
import { sameJson, type Change, type Changes } from './change.ts';
import type { Applied } from './history.ts';
import {
  keyOf,
  keyText,
  readRow,
  runInParts,
  valuesIn,
  type RecordColumn,
  type RecordsContext,
  type RecordColumns,
} from './records-context.ts';

const maxShown = 20; // The maximum number of records in a result, because results are stored with the run.
const maxCharacters = 1_000_000; // The maximum size of the records in a result, in characters of JSON.
const maxUndoable = 200_000; // A change to more records than this cannot be undone.

type Update = Extract<Change, { readonly kind: 'update' }>;

/** Applies deletes first, then updates, then adds, so that unique values that become free can be reused. */
export async function applyChanges(
  context: RecordsContext,
  changes: Changes,
  isUndo: boolean,
): Promise<Applied> {
  const removed = changes.flatMap((change) => (change.kind === 'delete' ? [change.before] : []));
  const updates = changes.filter((change): change is Update => change.kind === 'update');
  const adds = changes.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const isFinal = changes.length > maxUndoable || (await hasUnseen(context, removed));
  await deleteRows(context, removed);
  const updated = await updateRows(context, updates);
  const added = await addRows(context, adds, isUndo);

  const left = { add: added.values(), update: updated.values(), delete: removed.values() };
  let characters = 0;
  const shown = changes
    .slice(0, maxShown)
    .map(({ kind }) => left[kind].next().value)
    .filter((row) => row !== undefined)
    .filter((row) => (characters += JSON.stringify(row).length) <= maxCharacters);
  return {
    written: {
      outcome: 'done',
      added: added.length,
      updated: updated.length,
      deleted: removed.length,
      rows: shown,
      ...(isFinal ? { isFinal } : {}),
    },
    inverse: [
      ...added.map((before): Change => ({ kind: 'delete', before })),
      ...updated.map((row, index): Change => ({
        kind: 'update',
        before: row,
        after: updates[index]?.before ?? row,
      })),
      ...removed.map((after): Change => ({ kind: 'add', after })),
    ],
  };
}

/** Whether any of the records has a value in a column without a declared field. */
async function hasUnseen(context: RecordsContext, rows: TableRows): Promise<boolean> {
  const { from, physical } = context;
  const { unseen = [] } = physical;
  if (unseen.length === 0) return false;
  const filled = sql.join(
    unseen.map((column) => sql`${sql.id(column)} is not null`),
    sql` or `,
  );
  const select = (part: TableRows): Piece =>
    sql`select 1 as found from ${from} where ${theseRows(context, part)} and (${filled}) limit 1`;
  for await (const found of runInParts(context, rows, select)) if (found.rows.length > 0) return true;
  return false;
}

async function deleteRows(context: RecordsContext, rows: TableRows): Promise<void> {
  for (const part of chunksOf(rows, maxRows))
    await runPiece(context, sql`delete from ${context.from} where ${theseRows(context, part)}`);
}

/** Builds a condition that matches records by their keys. */
function theseRows(context: RecordsContext, rows: TableRows): Piece {
  return valuesIn(
    context,
    context.key,
    rows.map((row) => keyOf(context, row)),
  );
}

/** Updates records and returns them as stored. Records with the same changed fields share a statement. */
async function updateRows(context: RecordsContext, updates: readonly Update[]): Promise<TableRows> {
  const now = new Map<string, TableRow>();
  const changedColumns = ({ before, after }: Update): RecordColumns =>
    context.columns.filter(
      ({ field: { name }, storage }) =>
        storage.isGenerated !== true && Object.hasOwn(after, name) && !sameJson(before[name], after[name]),
    );
  const groups = new Map<string, { readonly columns: RecordColumns; readonly rows: TableRow[] }>();
  for (const update of updates) {
    const columns = changedColumns(update);
    const id = columns.map(({ alias }) => alias).join();
    const group = groups.get(id) ?? { columns, rows: [] };
    groups.set(id, group);
    group.rows.push(update.after);
  }
  for (const { columns, rows } of groups.values()) {
    if (columns.length === 0) continue;
    const build = (count: number): Piece => buildUpdate(context, columns, count);
    for (const row of await writeRows(context, [...context.key, ...columns], rows, build))
      now.set(keyText(keyOf(context, row)), row);
  }
  return updates.map(({ before }) => now.get(keyText(keyOf(context, before))) ?? before);
}

/**
 * Builds an update of some rows. Their values are the key and then the changes. Both databases call the
 * columns of a `values` list `column1`, `column2` and so on.
 */
function buildUpdate(
  { kind, key, from, selection }: RecordsContext,
  changed: RecordColumns,
  rows: number,
): Piece {
  const given = (index: number): Piece => sql`given.${sql.id(`column${index + 1}`)}`;
  const typed = ({ storage }: RecordColumn): Piece =>
    kind === 'sqlite' ? sql`${null}` : sql`cast(${null} as ${sql.raw(storage.sqlType)})`;
  const row = sql`(${sql.join([...key, ...changed].map(typed))})`;
  const set = sql.join(changed.map(({ name }, index) => sql`${name} = ${given(key.length + index)}`));
  const same = sql.join(
    key.map(({ name }, index) => sql`${name} = ${given(index)}`),
    sql` and `,
  );
  const list = sql.join(Array.from({ length: rows }, () => row));
  return sql`update ${from} set ${set} from (values ${list}) as given where ${same} returning ${selection}`;
}

/**
 * Adds records and returns them as stored. Writes all fields if `isWhole` is set, otherwise only fields that
 * have a value.
 */
async function addRows(context: RecordsContext, rows: TableRows, isWhole: boolean): Promise<TableRows> {
  const isNumbered = (row: TableRow): boolean => keyOf(context, row).includes(null);
  const keyed = rows.filter((row) => !isNumbered(row));
  const withKeys = inGivenOrder(context, keyed, await insertRows(context, keyed, isWhole));
  if (keyed.length > 0) await raiseNumbers(context);
  const unkeyed = await insertRows(context, rows.filter(isNumbered), isWhole);
  // Generated numbers increase in the order of insertion.
  const number = context.key[0]?.field.name ?? '';
  const withNumbers = unkeyed.toSorted((one, other) => Number(one[number]) - Number(other[number]));
  const left = [withKeys.values(), withNumbers.values()] as const;
  return rows.map((row) => left[isNumbered(row) ? 1 : 0].next().value).filter((row) => row !== undefined);
}

async function insertRows(context: RecordsContext, rows: TableRows, isWhole: boolean): Promise<TableRows> {
  if (rows.length === 0) return [];
  // A column without a value in any record is omitted, because the database may have a default for it.
  const columns = context.columns.filter(({ field, storage }) => {
    if (storage.isGenerated === true) return false;
    return (isWhole && field.key === undefined) || rows.some((row) => (row[field.name] ?? null) !== null);
  });
  return writeRows(context, columns, rows, (count) => buildInsert(context, columns, count));
}

function buildInsert(
  { kind, key, from, selection }: RecordsContext,
  columns: RecordColumns,
  rows: number,
): Piece {
  const nothing = kind === 'sqlite' ? sql`null` : sql`default`;
  const written = columns.length === 0 ? key : columns;
  const names = sql.join(written.map(({ name }) => name));
  const row = columns.length === 0 ? nothing : sql.join(columns.map(() => null));
  const values = sql.join(Array.from({ length: rows }, () => sql`(${row})`));
  return sql`insert into ${from} (${names}) values ${values} returning ${selection}`;
}

const maxValues = 20_000; // The maximum number of values in one statement. SQLite accepts 32,766.
const maxRows = 500; // The maximum number of rows in one statement. More rows would not be faster.

/**
 * Writes rows with as few statements as possible and returns them as stored. `build` builds the statement for
 * a number of rows. It is compiled once per number; the values are bound row by row and column by column.
 */
async function writeRows(
  context: RecordsContext,
  columns: RecordColumns,
  rows: TableRows,
  build: (rows: number) => Piece,
): Promise<TableRows> {
  const rowsAtOnce = Math.max(1, Math.min(maxRows, Math.floor(maxValues / Math.max(1, columns.length))));
  const statements = new Map<number, string>();
  const written: TableRow[] = [];
  for (const part of chunksOf(rows, rowsAtOnce)) {
    const text = statements.get(part.length) ?? context.dialect.compile(build(part.length)).sql;
    statements.set(part.length, text);
    const parameters = part.flatMap((row) =>
      columns.map(({ field, toSql }) => toSql(row[field.name] ?? null)),
    );
    for (const raw of await context.run({ sql: text, parameters })) written.push(readRow(context, raw));
  }
  return written;
}

/**
 * Restores the order in which the records were given, because databases can return added records in any
 * order.
 */
function inGivenOrder(context: RecordsContext, given: TableRows, added: TableRows): TableRows {
  const byKey = new Map(added.map((row) => [keyText(keyOf(context, row)), row]));
  const found = given
    .map((row) => byKey.get(keyText(keyOf(context, row))))
    .filter((row) => row !== undefined);
  // The lookup does not find keys that the database stores in a different form.
  return found.length === given.length ? found : added;
}

/**
 * Makes PostgreSQL continue numbering above any keys that were set explicitly. SQLite does this
 * automatically.
 */
async function raiseNumbers(context: RecordsContext): Promise<void> {
  const { kind, physical, key, from } = context;
  const [column] = key;
  if (kind === 'sqlite' || key.length !== 1 || column?.field.key !== 'auto-increment') return;
  const sequence = sql`${sequencePiece(physical, physical.columnOf(column.field.name))}::regclass`;
  await runPiece(
    context,
    sql`select setval(numbers.sequence, numbers.greatest)
      from (select ${sequence} as sequence, (select max(${column.name}) from ${from}) as greatest) numbers
      where numbers.greatest > coalesce(pg_sequence_last_value(numbers.sequence), (
        select seqstart - 1 from pg_catalog.pg_sequence where seqrelid = numbers.sequence))`,
  );
}
