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
import { readWords, type WordsGround } from './conversation/read-words.ts';
import type { RequestDraft } from './conversation/talk.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import type { Ground } from './ground.ts';
import { mustHaveAccess } from './must-have-access.ts';
import { openProse } from './prose/open-prose.ts';
import { listPage, turnPage } from './reads/list-page.ts';
import { tellFields } from './reads/tell-fields.ts';
import { tellGroups } from './reads/tell-groups.ts';
import { tellCount, tellMeasure } from './reads/tell-measure.ts';
import type { Written } from './records/change.ts';
import { whereOf } from './records/condition.ts';
import { groupRecords } from './records/group.ts';
import { keyIn, keyText, readKey } from './records/key.ts';
import { buildMeasure } from './records/measure-piece.ts';
import { countRecords, orderOf, readLastWrite } from './records/record-queries.ts';
import { buildRecordsGround, query, readRow, type RecordsGround } from './records/records-ground.ts';
import type { Records, Window } from './records/records.ts';
import { windowOf } from './records/window.ts';
import { checkWrite } from './records/write/check-write.ts';
import { hasKeptTables } from './records/write/kept-tables.ts';
import { findWritten } from './records/write/kept-writes.ts';
import { writeChanges } from './records/write/write-changes.ts';
import { fitRequest } from './request/fit-request.ts';
import { isWrite, type MeasureRequest, type TableRequest } from './request/request.ts';
import { openSchema } from './schema/open-schema.ts';
import type { OpenedSchema, Physical } from './schema/physical.ts';
import { counted } from './show/counted.ts';
import { chunksOf } from './sql/chunks.ts';
import type { Table, TableClock, TableRow } from './table.ts';
import { exportRecords } from './transfer/export-records.ts';

const openMinutes = 15; // that a question waits, unless settings say otherwise

/** Carries out a request, from what was asked to what came of it. */
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
  const ground: Ground = {
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
      warnOfProse(ground);
      return holdTalk(ground, request);
    case 'show':
      return holdTalk(ground, request);
    default:
      return answerRead(ground, request);
  }
}

/** When and where it is asked; the same when the call is tried again. */
async function readClock(scope: Scope): Promise<TableClock> {
  const now = await scope.now();
  const zone = await scope.step('clock', () => Intl.DateTimeFormat().resolvedOptions().timeZone);
  return { now, zone };
}

/** The request itself, and whether it is one of the host that made up its mind: only the first frame of a run can be. */
async function readInput(
  table: Table,
  input: TableInput,
  clock: TableClock,
  asking: Pick<WordsGround, 'scope' | 'minutes'>,
): Promise<{ readonly request: TableRequest; readonly isOwn: boolean }> {
  if (!('operation' in input)) {
    const { prompt } = input;
    return { request: await readWords({ table, clock, ...asking }, prompt), isOwn: false };
  }
  const { confirm, ...members } = input;
  if (confirm !== undefined && typeof confirm !== 'boolean') {
    throw new AgentError('usage.bad-input', '"confirm" must be true or false.', { hint: 'Correct confirm.' });
  }
  return {
    request: fitRequest(table, members, clock),
    isOwn: confirm === false && asking.scope.run.depth === 1,
  };
}

/** The table as it stands, if that is enough for the request. */
function usablePart(
  { physical, blocked, hidden = [] }: OpenedSchema,
  request: TableRequest,
  scope: Pick<Scope, 'skill' | 'note'>,
): Physical {
  if (blocked.length > 0) throw blockedError(blocked, scope);
  for (const { text } of hidden) scope.note(`${text} ${renamed}`, { level: 'warning' });
  const because = isWrite(request) ? (physical.readOnlyBecause ?? closedFor(request, physical)) : undefined;
  if (because !== undefined) throw new AgentError('skill.unavailable', because, { hint: 'It can be read.' });
  return physical;
}

const renamed = 'If that field has another name now, write "#### Column" with the old name below it.';

function blockedError(blocked: OpenedSchema['blocked'], { skill }: Pick<Scope, 'skill'>): AgentError {
  const what = blocked.map(({ text }) => text).join(' ');
  const obstacles = blocked.flatMap(({ obstacle }) => obstacle ?? []);
  const before =
    obstacles.length === 0 ? [] : [...obstacles, 'Until then the file has to say what it said before.'];
  const next = [...before, `Look at it and approve it with \`skilled build ${skill.name}\`.`].join(' ');
  return new AgentError(
    'skill.unavailable',
    `The table of "${skill.name}" is not as its file says: ${what}`,
    {
      hint: next,
      details: { blocked: blocked.map(({ id, text }) => ({ id, text })) },
    },
  );
}

function closedFor({ operation }: TableRequest, { closedBecause }: Physical): string | undefined {
  return operation === 'add' || operation === 'import' ? closedBecause : undefined;
}

/** Rules that nothing holds to are told once per change. */
function warnOfProse({ prose, scope }: Ground): void {
  const { notEnforced } = prose;
  if (notEnforced.length === 0) return;
  scope.note(`Not enforced: ${notEnforced.join(' ')}`, { level: 'warning' });
}

/** Answers what needs no question: everything that only reads, but for one record out of several. */
async function answerRead(ground: Ground, request: Exclude<TableRequest, RequestDraft>): Promise<Output> {
  switch (request.operation) {
    case 'list':
      return listPage(ground, request);
    case 'next':
    case 'previous':
      return turnPage(ground, request.operation);
    case 'count':
      return tellCount(ground, request);
    case 'group':
      return tellGroups(ground, request);
    case 'fields':
      return tellFields(ground.table);
    case 'export': {
      const { path, rows, bytes } = await exportRecords(request, ground, ground.scope);
      const text = `Wrote ${counted(rows, 'record')} of ${ground.table.name} to ${path}.`;
      return { status: 'done', text, value: { operation: 'export', path, rows, bytes } };
    }
    default:
      return tellMeasure(ground, request);
  }
}

/** Records by statements that a database of either kind runs; nothing is filtered, sorted or counted here. */
export function createRecords(database: Database, table: Table, physical: Physical): Records {
  const ground = buildRecordsGround(database, table, physical);
  return {
    list: (window) => listRecords(ground, window),
    each: (window, size) => eachRecord(ground, window, size),
    count: (where) => countRecords(ground, where),
    measure: (request) => measureRecords(ground, request),
    group: (request) => groupRecords(ground, request),
    check: (changes) => checkWrite(ground, changes),
    write: (changes, author) => writeChanges(ground, changes, author),
    written: (stepId) => readWritten(ground, stepId),
    lastWrite: (session) => readLastWrite(ground, session),
    undo: (last, author) => writeChanges(ground, last.changes, author, last),
  };
}

const mostAtOnce = 5_000; // values of keys in one statement

/**
 * The keys are read at once, so which records there are and their order is that of one moment; the records follow part by
 * part, each as it is then, and one that has gone or does not fit any more is left out.
 */
async function* eachRecord(
  ground: RecordsGround,
  { where, sort, limit, offset }: Window,
  size: number,
): AsyncGenerator<readonly TableRow[]> {
  const keys = sql.join(ground.key.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
  const page = sql`${orderOf(ground, sort)}${windowOf(ground, limit, offset)}`;
  const found = await query(ground, sql`select ${keys} from ${ground.from}${whereOf(ground, where)}${page}`);
  const most = Math.floor(mostAtOnce / Math.max(1, ground.key.length));
  for (const part of chunksOf(found, Math.max(1, Math.min(size, most)))) {
    const wanted = part.map((row) => readKey(ground, row));
    const rows = await query(
      ground,
      sql`select ${ground.selection} from ${ground.from}${whereOf(ground, where, keyIn(ground, wanted))}`,
    );
    const byKey = new Map(rows.map((row) => [keyText(readKey(ground, row)), row]));
    const there = wanted.map((key) => byKey.get(keyText(key))).filter((row) => row !== undefined);
    if (there.length > 0) yield there.map((row) => readRow(ground, row));
  }
}

/** Records and their total number in one statement, so that they belong together. */
async function listRecords(
  ground: RecordsGround,
  { where, sort, limit, offset = 0 }: Window,
): Promise<{ readonly rows: readonly TableRow[]; readonly total: number }> {
  if (limit === 0) return { rows: [], total: await countRecords(ground, where) };
  const fits = whereOf(ground, where);
  const isWhole = limit === undefined && offset === 0;
  const total = isWhole ? sql`` : sql`, (select count(*) from ${ground.from}${fits}) as "skilled:total"`;
  const page = sql`${orderOf(ground, sort)}${windowOf(ground, limit, offset)}`;
  const rows = await query(ground, sql`select ${ground.selection}${total} from ${ground.from}${fits}${page}`);
  const records = rows.map((row) => readRow(ground, row));
  if (isWhole) return { rows: records, total: records.length };
  const [first] = rows;
  return {
    rows: records,
    total: first === undefined ? await countRecords(ground, where) : Number(first['skilled:total']),
  };
}

/** One number, or the least or greatest value, over the records that fit. */
async function measureRecords(
  ground: RecordsGround,
  { operation, field, where }: MeasureRequest,
): Promise<Json> {
  const { first, second = sql`null`, whole, read } = buildMeasure(ground, operation, field);
  const parts = sql`select ${first} as first, ${second} as second from ${ground.from}${whereOf(ground, where)}`;
  const [row] = await query(ground, sql`select ${whole} as result from (${parts}) parts`);
  return read(row?.['result'] ?? null);
}

/** What came of the change that was made under a step id, if there was one. */
async function readWritten(ground: RecordsGround, stepId: string): Promise<Written | undefined> {
  const read: RunSql = (statement) => ground.database.read(statement);
  if (!(await hasKeptTables(read, ground))) return undefined;
  return findWritten(read, ground, stepId);
}
