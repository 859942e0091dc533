import { sql } from 'kysely';
import {
  AgentError,
  type Database,
  type Json,
  type Output,
  type RunSql,
  type Scope,
} from '../../core/index.ts';
import type { TableInput } from './accept.ts';
import { buildTable } from './build-table.ts';
import { holdTalk } from './conversation/hold-talk.ts';
import { readWords, type WordsContext } from './conversation/read-words.ts';
import type { RequestDraft } from './conversation/talk.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import type { TableContext } from './table-context.ts';
import { mustHaveAccess } from './must-have-access.ts';
import { openProse } from './prose/open-prose.ts';
import { listPage, turnPage } from './reads/list-page.ts';
import { reportFields } from './reads/report-fields.ts';
import { reportGroups } from './reads/report-groups.ts';
import { reportCount, reportMeasure } from './reads/report-measure.ts';
import type { Written } from './records/change.ts';
import { whereOf } from './records/condition.ts';
import { groupRecords } from './records/group.ts';
import { keyIn, keyText, readKey } from './records/key.ts';
import { buildMeasure } from './records/measure-piece.ts';
import { countRecords, orderOf, readLastWrite } from './records/record-queries.ts';
import { buildRecordsContext, query, readRow, type RecordsContext } from './records/records-context.ts';
import type { Records, Window } from './records/records.ts';
import { windowOf } from './records/window.ts';
import { checkWrite } from './records/write/check-write.ts';
import { hasHistoryTables } from './records/write/history-tables.ts';
import { findWritten } from './records/write/recorded-writes.ts';
import { writeChanges } from './records/write/write-changes.ts';
import { fitRequest } from './request/fit-request.ts';
import { isWrite, type MeasureRequest, type TableRequest } from './request/request.ts';
import { openSchema } from './schema/open-schema.ts';
import type { OpenedSchema, Physical } from './schema/physical.ts';
import { counted } from './show/counted.ts';
import { chunksOf } from './sql.ts';
import type { Table, TableClock, TableRow } from './table.ts';
import { exportRecords } from './transfer/export-records.ts';

const openMinutes = 15; // The default number of minutes until an open question expires.

/** Runs a table request, from reading the input to building the output. */
export async function runTable(
  definition: TableDefinition,
  input: TableInput,
  scope: Scope,
): Promise<Output> {
  const { settings = {} } = definition;
  const table = buildTable(definition);
  const clock = await readClock(scope);
  const minutes = settings.minutes ?? openMinutes;
  const { request, isOwn } = await readInput(table, input, clock, { scope, minutes });
  if (isWrite(request)) mustHaveAccess(definition, scope, 'write');
  const database = await scope.resources.database(settings.database);
  const physical = usablePart(await openSchema(database, table), request, scope);
  const context: TableContext = {
    table,
    clock,
    scope,
    minutes,
    prose: await openProse(definition, scope),
    records: createRecords(database, table, physical),
    ways: { asks: !isOwn, confirms: !isOwn && settings.confirm !== false },
    seed: isWrite(request) ? await scope.step('seed', () => crypto.randomUUID()) : '',
  };
  switch (request.operation) {
    case 'add':
    case 'update':
    case 'delete':
    case 'import':
    case 'undo':
      warnOfProse(context);
      return holdTalk(context, request);
    case 'show':
      return holdTalk(context, request);
    default:
      return answerRead(context, request);
  }
}

/** Returns the time and time zone of the request. They stay the same if the call is retried. */
async function readClock(scope: Scope): Promise<TableClock> {
  const now = await scope.now();
  const zone = await scope.step('clock', () => Intl.DateTimeFormat().resolvedOptions().timeZone);
  return { now, zone };
}

/**
 * Parses the request and determines whether the host disabled confirmation. Only the first call of a run can
 * disable confirmation.
 */
async function readInput(
  table: Table,
  input: TableInput,
  clock: TableClock,
  asking: Pick<WordsContext, 'scope' | 'minutes'>,
): Promise<{ readonly request: TableRequest; readonly isOwn: boolean }> {
  if (!('operation' in input)) {
    const { prompt } = input;
    return { request: await readWords({ table, clock, ...asking }, prompt), isOwn: false };
  }
  const { confirm, ...members } = input;
  if (confirm !== undefined && typeof confirm !== 'boolean') {
    throw new AgentError('usage.bad-input', '"confirm" must be true or false.', {
      hint: 'Correct "confirm".',
    });
  }
  return {
    request: fitRequest(table, members, clock),
    isOwn: confirm === false && asking.scope.run.depth === 1,
  };
}

/** Returns the table as it exists in the database. Throws if its state does not allow the request. */
function usablePart(
  { physical, blocked, hidden = [] }: OpenedSchema,
  request: TableRequest,
  scope: Pick<Scope, 'skill' | 'note'>,
): Physical {
  if (blocked.length > 0) throw blockedError(blocked, scope);
  for (const { text } of hidden) scope.note(`${text} ${renamed}`, { level: 'warning' });
  const because = isWrite(request) ? (physical.readOnlyBecause ?? closedFor(request, physical)) : undefined;
  if (because !== undefined)
    throw new AgentError('skill.unavailable', because, { hint: 'You can still read the records.' });
  return physical;
}

const renamed = 'If that field was renamed, add "#### Column" with the old name below its new heading.';

function blockedError(blocked: OpenedSchema['blocked'], { skill }: Pick<Scope, 'skill'>): AgentError {
  const what = blocked.map(({ text }) => text).join(' ');
  const obstacles = blocked.flatMap(({ obstacle }) => obstacle ?? []);
  const before =
    obstacles.length === 0 ? [] : [...obstacles, 'Until then, keep the previous version of the file.'];
  const next = [...before, `Review and approve it with \`skilled build ${skill.name}\`.`].join(' ');
  return new AgentError(
    'skill.unavailable',
    `The table of "${skill.name}" does not match its file: ${what}`,
    {
      hint: next,
      details: { blocked: blocked.map(({ id, text }) => ({ id, text })) },
    },
  );
}

function closedFor({ operation }: TableRequest, { closedBecause }: Physical): string | undefined {
  return operation === 'add' || operation === 'import' ? closedBecause : undefined;
}

/**
 * Logs a warning that lists the rules that are not enforced. Called once for each request that changes
 * records.
 */
function warnOfProse({ prose, scope }: TableContext): void {
  const { notEnforced } = prose;
  if (notEnforced.length === 0) return;
  scope.note(`Not enforced: ${notEnforced.join(' ')}`, { level: 'warning' });
}

/** Handles all reads except `show`, which may have to ask the user which record to show. */
async function answerRead(
  context: TableContext,
  request: Exclude<TableRequest, RequestDraft>,
): Promise<Output> {
  switch (request.operation) {
    case 'list':
      return listPage(context, request);
    case 'next':
    case 'previous':
      return turnPage(context, request.operation);
    case 'count':
      return reportCount(context, request);
    case 'group':
      return reportGroups(context, request);
    case 'fields':
      return reportFields(context.table);
    case 'export': {
      const { path, rows, bytes } = await exportRecords(request, context, context.scope);
      const text = `Wrote ${counted(rows, 'record')} of ${context.table.name} to ${path}.`;
      return { status: 'done', text, value: { operation: 'export', path, rows, bytes } };
    }
    default:
      return reportMeasure(context, request);
  }
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

const maxConcurrent = 5_000; // The maximum number of key values in one statement.

/**
 * Reads all keys in one query, so that the set of records and their order are consistent. Then reads the
 * records in batches, each in its current state. Skips records that were deleted or no longer match.
 */
async function* eachRecord(
  context: RecordsContext,
  { where, sort, limit, offset }: Window,
  size: number,
): AsyncGenerator<readonly TableRow[]> {
  const keys = sql.join(context.key.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
  const page = sql`${orderOf(context, sort)}${windowOf(context, limit, offset)}`;
  const found = await query(
    context,
    sql`select ${keys} from ${context.from}${whereOf(context, where)}${page}`,
  );
  const most = Math.floor(maxConcurrent / Math.max(1, context.key.length));
  for (const part of chunksOf(found, Math.max(1, Math.min(size, most)))) {
    const partKeys = part.map((row) => readKey(context, row));
    const rows = await query(
      context,
      sql`select ${context.selection} from ${context.from}${whereOf(context, where, keyIn(context, partKeys))}`,
    );
    const byKey = new Map(rows.map((row) => [keyText(readKey(context, row)), row]));
    const there = partKeys.map((key) => byKey.get(keyText(key))).filter((row) => row !== undefined);
    if (there.length > 0) yield there.map((row) => readRow(context, row));
  }
}

/** Reads records and their total number in one statement, so that they are consistent. */
async function listRecords(
  context: RecordsContext,
  { where, sort, limit, offset = 0 }: Window,
): Promise<{ readonly rows: readonly TableRow[]; readonly total: number }> {
  if (limit === 0) return { rows: [], total: await countRecords(context, where) };
  const fits = whereOf(context, where);
  const isWhole = limit === undefined && offset === 0;
  const total = isWhole ? sql`` : sql`, (select count(*) from ${context.from}${fits}) as "skilled:total"`;
  const page = sql`${orderOf(context, sort)}${windowOf(context, limit, offset)}`;
  const rows = await query(
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

/** Returns the sum, average, minimum or maximum of a field over the matching records. */
async function measureRecords(
  context: RecordsContext,
  { operation, field, where }: MeasureRequest,
): Promise<Json> {
  const { first, second = sql`null`, whole, read } = buildMeasure(context, operation, field);
  const parts = sql`select ${first} as first, ${second} as second from ${context.from}${whereOf(context, where)}`;
  const [row] = await query(context, sql`select ${whole} as result from (${parts}) parts`);
  return read(row?.['result'] ?? null);
}

/** Returns the result of the change with this step id, if it exists. */
async function readWritten(context: RecordsContext, stepId: string): Promise<Written | undefined> {
  const read: RunSql = (statement) => context.database.read(statement);
  if (!(await hasHistoryTables(read, context))) return undefined;
  return findWritten(read, context, stepId);
}
