import { AgentError, type Output, type Scope } from '../../core/index.ts';
import type { TableInput } from './accept.ts';
import { buildTable } from './build-table.ts';
import { holdTalk } from './conversation/hold-talk.ts';
import { readWords, type WordsGround } from './conversation/read-words.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import type { Ground } from './ground.ts';
import { mustHaveAccess } from './must-have-access.ts';
import { openProse } from './prose/open-prose.ts';
import { answerRead } from './reads/answer-read.ts';
import { createRecords } from './records/create-records.ts';
import { fitRequest } from './request/fit-request.ts';
import { isWrite, type TableRequest } from './request/request.ts';
import { openSchema } from './schema/open-schema.ts';
import type { OpenedSchema, Physical } from './schema/physical.ts';
import type { TableClock, Table } from './table.ts';

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
  const database = await scope.database(settings.database);
  const physical = usablePart(await openSchema(database, table), request, scope);
  const ground: Ground = {
    ...{ table, clock, scope, minutes },
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
  return { request: fitRequest(table, members, clock), isOwn: confirm === false && asking.scope.depth === 1 };
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
