import { sql } from 'kysely';
import type { Database, Json } from '../../../core/index.ts';
import type { Condition, Sort } from '../../../engines/conditions/conditions.ts';
import { chunksOf, readTotal, runPiece } from '../../../engines/sql/pieces.ts';
import { orderOf, whereOf, windowOf } from '../../../engines/sql/where.ts';
import type { GroupRequest, MeasureRequest } from '../request/request.ts';
import type { Physical } from '../schema/open-schema.ts';
import type { Table, TableRows } from '../table.ts';
import type { Author, ChangeFaults, Changes, LastWrite, Written } from './change.ts';
import { readLastWrite, readWritten } from './history.ts';
import { groupRecords, measureRecords, type RecordGroups } from './measure.ts';
import {
  buildRecordsContext,
  keyText,
  readRow,
  readValues,
  selectList,
  valuesIn,
  type RecordsContext,
} from './records-context.ts';
import { checkWrite, writeChanges } from './write.ts';

/** The filter, order and limits for a list of records. */
export interface Window {
  readonly where?: Condition;
  /** The sort order. Ties and unsorted lists are ordered by key, so the order is always the same. */
  readonly sort?: readonly Sort[];
  readonly limit?: number;
  readonly offset?: number;
}

/** Records in a window, and the number of all records that match, ignoring limit and offset. */
interface RecordPage {
  readonly rows: TableRows;
  readonly total: number;
}

/** A table's records in its database. */
export interface Records {
  list(window: Window): Promise<RecordPage>;
  /** Yields all records in a window, in batches. */
  each(window: Window, size: number): AsyncIterable<TableRows>;
  count(where?: Condition): Promise<number>;
  /** Computes a measure. Returns null if no record has a value for the field. */
  measure(request: MeasureRequest): Promise<Json>;
  group(request: GroupRequest): Promise<RecordGroups>;
  /**
   * Finds all problems that would currently prevent the changes, without saving anything. Does not report
   * records that were modified in the meantime.
   */
  check(changes: Changes): Promise<ChangeFaults>;
  /** Makes changes in one transaction, only once per step id, after rechecking all their conditions. */
  write(changes: Changes, author: Author): Promise<Written>;
  /** Returns the result of the change with this step id, or undefined if there is none. */
  written(stepId: string): Promise<Written | undefined>;
  /** Returns the session's last change to this table that has not been undone. */
  lastWrite(session: string): Promise<LastWrite | undefined>;
  /** Undoes a session's change. The undo is itself a change. */
  undo(last: LastWrite, author: Author): Promise<Written>;
}

/**
 * Creates an object that reads and writes a table's records in either kind of database. The database does all
 * filtering, sorting and counting.
 */
export function createRecords(database: Database, table: Table, physical: Physical): Records {
  const context = buildRecordsContext(database, table, physical);
  return {
    list: (window) => listRecords(context, window),
    each: (window, size) => eachRecord(context, window, size),
    count: (where) => countRecords(context, where),
    measure: (request) => measureRecords(context, request),
    group: (request) => groupRecords(context, request),
    check: (changes) => checkWrite(context, changes),
    write: (changes, author) => writeChanges(context, changes, author),
    written: (stepId) => readWritten(context, stepId),
    lastWrite: (session) => readLastWrite(context, session),
    undo: (last, author) => writeChanges(context, last.changes, author, last),
  };
}

/** Reads records and their total number in one statement, so that they are consistent. */
async function listRecords(
  context: RecordsContext,
  { where, sort, limit, offset = 0 }: Window,
): Promise<RecordPage> {
  if (limit === 0) return { rows: [], total: await countRecords(context, where) };
  const fits = whereOf(context, where);
  const isWhole = limit === undefined && offset === 0;
  const total = isWhole ? sql`` : sql`, (select count(*) from ${context.from}${fits}) as "skilled:total"`;
  const page = sql`${orderOf(context, sort)}${windowOf(context, limit, offset)}`;
  const rows = await runPiece(
    context,
    sql`select ${context.selection}${total} from ${context.from}${fits}${page}`,
  );
  const records = rows.map((row) => readRow(context, row));
  if (isWhole) return { rows: records, total: records.length };
  const [first] = rows;
  return {
    rows: records,
    total: first === undefined ? await countRecords(context, where) : Number(first['skilled:total']),
  };
}

function countRecords(context: RecordsContext, where?: Condition): Promise<number> {
  return readTotal(context, sql`select count(*) as total from ${context.from}${whereOf(context, where)}`);
}

const maxConcurrent = 5_000; // The maximum number of key values in one statement.

/**
 * Reads all keys in one query, so that the set of records and their order are consistent. Then reads the
 * records in batches, each in its current state. Skips records that were deleted or no longer match.
 */
async function* eachRecord(
  context: RecordsContext,
  { where, sort, limit, offset }: Window,
  size: number,
): AsyncGenerator<TableRows> {
  const { key, from, selection } = context;
  const page = sql`${orderOf(context, sort)}${windowOf(context, limit, offset)}`;
  const found = await runPiece(
    context,
    sql`select ${selectList(key)} from ${from}${whereOf(context, where)}${page}`,
  );
  const most = Math.floor(maxConcurrent / Math.max(1, key.length));
  for (const part of chunksOf(found, Math.max(1, Math.min(size, most)))) {
    const keys = part.map((row) => readValues(key, row));
    const fits = whereOf(context, where, valuesIn(context, key, keys));
    const rows = await runPiece(context, sql`select ${selection} from ${from}${fits}`);
    const byKey = new Map(rows.map((row) => [keyText(readValues(key, row)), row]));
    const there = keys.map((one) => byKey.get(keyText(one))).filter((row) => row !== undefined);
    if (there.length > 0) yield there.map((row) => readRow(context, row));
  }
}
