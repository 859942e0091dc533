import {
  AgentError,
  isJsonObject,
  optional,
  type Json,
  type JsonObject,
  type Output,
} from '../../../core/index.ts';
import { fieldsNamed } from '../table.ts';
import type { TableContext } from '../table-context.ts';
import { requestLimits, type ListRequest, type Sort } from '../request/request.ts';

import { counted } from '../show/text.ts';
import { recordValues } from '../show/values.ts';
import { showCondition } from '../show/values.ts';
import { showRows } from '../show/rows.ts';
import type { Field, TableRow } from '../table.ts';

/** Returns one page of a list. Each further page needs a separate request. */
export async function listPage(context: TableContext, request: ListRequest): Promise<Output> {
  const { table, records, scope } = context;
  const { where, sort, limit = requestLimits.pageLength, offset = 0, last } = request;
  const order = last === true ? sort?.map(reversed) : sort;
  const page = await records.list({ limit, offset, ...optional('where', where), ...optional('sort', order) });
  const rows = last === true ? page.rows.toReversed() : page.rows;
  const { total } = page;
  scope.memory.set(memoryKey, { ...request, limit, offset } as unknown as JsonObject);
  const fields = fieldsOf(context, request);
  const values = recordValues(request.fields === undefined ? rows : rows.map((row) => picked(row, fields)));
  const shown =
    rows.length === 0 ? emptyText(context, request, total) : await showRows(context, fields, rows);
  const range = rows.length === 0 ? [] : [rangeText(table.name, offset, rows.length, total)];
  return {
    status: 'done',
    text: [shown, ...range].join('\n'),
    value: { operation: 'list', ...values, total, offset, limit },
  };
}

/**
 * Shows the next or previous page of the session's most recent list. Throws `usage.bad-input` if there is no
 * list.
 */
export async function turnPage(context: TableContext, direction: 'next' | 'previous'): Promise<Output> {
  const stored: Json | undefined = await context.scope.memory.get(memoryKey);
  if (!isJsonObject(stored)) {
    throw new AgentError('usage.bad-input', 'There is no list to continue.', {
      hint: 'Say "list" first.',
    });
  }
  const request = stored as unknown as ListRequest & { readonly limit: number; readonly offset: number };
  const { limit, offset } = request;
  if (direction === 'previous' && offset === 0) {
    throw new AgentError('usage.bad-input', 'This is already the first page.', { hint: 'Say "next".' });
  }
  const turned = direction === 'next' ? offset + limit : Math.max(0, offset - limit);
  return listPage(context, { ...request, offset: turned });
}

function reversed({ field, direction }: Sort): Sort {
  return { field, direction: direction === 'up' ? 'down' : 'up' };
}

const memoryKey = 'list';

function fieldsOf({ table }: TableContext, { fields }: ListRequest): readonly Field[] {
  if (fields === undefined) return table.listed;
  return fieldsNamed(table, fields);
}

function picked(row: TableRow, fields: readonly Field[]): TableRow {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null]));
}

function rangeText(name: string, offset: number, count: number, total: number): string {
  const all = total.toLocaleString('en');
  if (offset === 0 && count === total) return `${counted(total, 'record')} of ${name}.`;
  const range = `Records ${(offset + 1).toLocaleString('en')} to ${(offset + count).toLocaleString('en')} of ${all} in ${name}.`;
  return offset + count < total ? `${range} Say "next" for more.` : range;
}

/** Returns the message for an empty page. */
function emptyText(
  { table, clock }: TableContext,
  { where, offset = 0 }: ListRequest,
  total: number,
): string {
  if (total > 0 && offset > 0)
    return `There are ${total.toLocaleString('en')} records, but none on this page. Say "previous" to go back.`;
  if (where === undefined) return `${table.name} has no records yet. Say "add ${table.name}" to add one.`;
  return `${table.name} has no records where ${showCondition(table, where, clock)}. Say "list" to see all.`;
}
