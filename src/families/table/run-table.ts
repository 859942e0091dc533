import { AgentError, counted, type JsonObject, type Output, type Scope } from '../../core/index.ts';
import type { LocalClock } from '../../engines/values/calendar.ts';
import { mustHaveAccess } from './access.ts';
import { buildTable } from './build-table.ts';
import { holdTalk } from './conversation/hold-talk.ts';
import { readWords, type WordsContext } from './conversation/read-words.ts';
import type { RequestDraft } from './conversation/talk.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { openProse } from './prose/open-prose.ts';
import { listPage, turnPage } from './reads/reports.ts';
import { reportCount, reportFields, reportGroups, reportMeasure } from './reads/reports.ts';
import { createRecords } from './records/records.ts';
import { fitRequest } from './request/fit-request.ts';
import { isWrite, type TableRequest } from './request/request.ts';
import { openSchema, type OpenedSchema, type Physical } from './schema/open-schema.ts';
import type { TableContext } from './table-context.ts';
import type { Table } from './table.ts';
import { exportRecords } from './transfer/formats.ts';

const openMinutes = 15; // The default number of minutes until an open question expires.

/** A table's input: a text prompt or a typed request. */
export type TableInput = { readonly prompt: string } | (JsonObject & { readonly operation: string });

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
async function readClock(scope: Scope): Promise<LocalClock> {
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
  clock: LocalClock,
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
  if (blocked.length > 0) throw blockedError(blocked, scope.skill.name);
  const renamed = 'If that field was renamed, add "#### Column" with the old name below its new heading.';
  for (const { text } of hidden) scope.note(`${text} ${renamed}`, { level: 'warning' });
  const adds = request.operation === 'add' || request.operation === 'import';
  const because = physical.readOnlyBecause ?? (adds ? physical.closedBecause : undefined);
  if (because === undefined || !isWrite(request)) return physical;
  throw new AgentError('skill.unavailable', because, { hint: 'You can still read the records.' });
}

function blockedError(blocked: OpenedSchema['blocked'], name: string): AgentError {
  const obstacles = blocked.flatMap(({ obstacle }) => obstacle ?? []);
  const keep = obstacles.length === 0 ? [] : ['Until then, keep the previous version of the file.'];
  const what = blocked.map(({ text }) => text).join(' ');
  return new AgentError('skill.unavailable', `The table of "${name}" does not match its file: ${what}`, {
    hint: [...obstacles, ...keep, `Review and approve it with \`skilled build ${name}\`.`].join(' '),
    details: { blocked: blocked.map(({ id, text }) => ({ id, text })) },
  });
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
