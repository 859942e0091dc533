import {
  AgentError,
  isJsonObject,
  optional,
  type Json,
  type JsonObject,
  type Output,
} from '../../../core/index.ts';
import { fieldsNamed } from '../fields-named.ts';
import type { Ground } from '../ground.ts';
import { requestLimits } from '../request/request-limits.ts';
import type { ListRequest } from '../request/request.ts';
import { counted } from '../show/counted.ts';
import { recordValues } from '../show/record-values.ts';
import { showCondition } from '../show/show-condition.ts';
import { showRows } from '../show/show-rows.ts';
import type { Field, TableRow } from '../table.ts';

/** One page of a list; the next one is a request of its own. */
export async function listPage(ground: Ground, request: ListRequest): Promise<Output> {
  const { table, records, scope } = ground;
  const { where, sort, limit = requestLimits.pageLength, offset = 0 } = request;
  const { rows, total } = await records.list({
    limit,
    offset,
    ...optional('where', where),
    ...optional('sort', sort),
  });
  scope.memory.set(memoryKey, { ...request, limit, offset } as unknown as JsonObject);
  const fields = fieldsOf(ground, request);
  const values = recordValues(request.fields === undefined ? rows : rows.map((row) => picked(row, fields)));
  const shown = rows.length === 0 ? emptyText(ground, request, total) : await showRows(ground, fields, rows);
  const range = rows.length === 0 ? [] : [rangeText(table.name, offset, rows.length, total)];
  return {
    status: 'done',
    text: [shown, ...range].join('\n'),
    value: { operation: 'list', ...values, total, offset, limit },
  };
}

/** Goes on with the last list of the session, a page on or back; throws `usage.bad-input` when there is none. */
export async function turnPage(ground: Ground, direction: 'next' | 'previous'): Promise<Output> {
  const kept: Json | undefined = await ground.scope.memory.get(memoryKey);
  if (!isJsonObject(kept)) {
    throw new AgentError('usage.bad-input', 'There is no list that could go on.', {
      hint: 'Say "list" first.',
    });
  }
  const request = kept as unknown as ListRequest & { readonly limit: number; readonly offset: number };
  const { limit, offset } = request;
  if (direction === 'previous' && offset === 0) {
    throw new AgentError('usage.bad-input', 'This is the first page already.', { hint: 'Say "next".' });
  }
  const turned = direction === 'next' ? offset + limit : Math.max(0, offset - limit);
  return listPage(ground, { ...request, offset: turned });
}

const memoryKey = 'list';

function fieldsOf({ table }: Ground, { fields }: ListRequest): readonly Field[] {
  if (fields === undefined) return table.listed;
  return fieldsNamed(table, fields);
}

function picked(row: TableRow, fields: readonly Field[]): TableRow {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null]));
}

function rangeText(name: string, offset: number, count: number, total: number): string {
  const all = total.toLocaleString('en');
  if (offset === 0 && count === total) return `${counted(total, 'record')} of ${name}.`;
  const range = `${(offset + 1).toLocaleString('en')} to ${(offset + count).toLocaleString('en')} of ${all} records of ${name}.`;
  return offset + count < total ? `${range} Say "next" for more.` : range;
}

/** What to do next where there is nothing to see. */
function emptyText({ table, clock }: Ground, { where, offset = 0 }: ListRequest, total: number): string {
  if (total > 0 && offset > 0)
    return `There are ${total.toLocaleString('en')} records, and none further. Say "previous" to go back.`;
  if (where === undefined) return `${table.name} has no records yet. Say "add ${table.name}" to make one.`;
  return `There is no record of ${table.name} where ${showCondition(table, where, clock)}. Say "list" to see all.`;
}
