import { AgentError, isJsonObject, optional, type JsonObject, type Output } from '../../../core/index.ts';
import { requestLimits, type ListRequest, type Sort } from '../request/request.ts';
import { showRows } from '../show/rows.ts';
import { counted } from '../show/text.ts';
import { recordValues, showCondition } from '../show/values.ts';
import type { TableContext } from '../table-context.ts';
import { fieldsNamed, type TableRow } from '../table.ts';

/** Returns one page of a list. Each further page needs a separate request. */
export async function listPage(context: TableContext, request: ListRequest): Promise<Output> {
  const { table, records, scope } = context;
  const { where, sort, limit = requestLimits.pageLength, offset = 0, last } = request;
  const order = last === true ? (sort ?? table.key.map(ascending)).map(reversed) : sort;
  const page = await records.list({ limit, offset, ...optional('where', where), ...optional('sort', order) });
  const rows = last === true ? page.rows.toReversed() : page.rows;
  scope.memory.set(memoryKey, { ...request, limit, offset } as unknown as JsonObject);
  const fields = request.fields === undefined ? table.listed : fieldsNamed(table, request.fields);
  const picked = (row: TableRow): TableRow =>
    Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null]));
  const lines =
    rows.length === 0
      ? [emptyText(context, request, page.total)]
      : [await showRows(context, fields, rows), rangeText(table.name, request, rows.length, page.total)];
  const values = recordValues(request.fields === undefined ? rows : rows.map(picked));
  const value = { operation: 'list', ...values, total: page.total, offset, limit };
  return { status: 'done', text: lines.join('\n'), value };
}

function ascending({ name }: { readonly name: string }): Sort {
  return { field: name, direction: 'up' };
}

function reversed({ field, direction }: Sort): Sort {
  return { field, direction: direction === 'up' ? 'down' : 'up' };
}

const memoryKey = 'list';

/**
 * Shows the next or previous page of the session's most recent list. Throws `usage.bad-input` if there is no
 * list.
 */
export async function turnPage(context: TableContext, direction: 'next' | 'previous'): Promise<Output> {
  const stored = await context.scope.memory.get(memoryKey);
  if (!isJsonObject(stored))
    throw new AgentError('usage.bad-input', 'There is no list to continue.', { hint: 'Say "list" first.' });
  const request = stored as unknown as ListRequest & { readonly limit: number; readonly offset: number };
  const { limit, offset } = request;
  if (direction === 'previous' && offset === 0)
    throw new AgentError('usage.bad-input', 'This is already the first page.', { hint: 'Say "next".' });
  const turned = direction === 'next' ? offset + limit : Math.max(0, offset - limit);
  return listPage(context, { ...request, offset: turned });
}

function rangeText(name: string, { offset = 0, last }: ListRequest, count: number, total: number): string {
  if (offset === 0 && count === total) return `${counted(total, 'record')} of ${name}.`;
  const first = last === true ? total - offset - count + 1 : offset + 1;
  const [from, to, all] = [first, first + count - 1, total].map((number) => number.toLocaleString('en'));
  const range = `Records ${from ?? ''} to ${to ?? ''} of ${all ?? ''} in ${name}.`;
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
