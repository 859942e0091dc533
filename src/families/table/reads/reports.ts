import {
  AgentError,
  counted,
  cutText,
  isJsonObject,
  optional,
  type Json,
  type JsonObject,
  type Output,
} from '../../../core/index.ts';
import type { Condition, Sort } from '../../../engines/conditions/conditions.ts';
import { showGrid } from '../../../engines/values/text-grid.ts';
import { isNumeric, showValue } from '../../../engines/values/types.ts';
import {
  requestLimits,
  type CountRequest,
  type GroupRequest,
  type ListRequest,
  type Measure,
  type MeasureRequest,
} from '../request/request.ts';
import { presentValues, recordValues, showCondition, showRows } from '../show/values.ts';
import type { TableContext } from '../table-context.ts';
import { fieldsNamed, labelOf, type Field, type Table, type TableRow } from '../table.ts';

/** Reports the number of matching records. */
export async function reportCount(context: TableContext, { where }: CountRequest): Promise<Output> {
  const count = await context.records.count(where);
  const text = `${counted(count, 'record')} of ${context.table.name}${filterText(context, where)}.`;
  return { status: 'done', text, value: { operation: 'count', count } };
}

/** Reports the sum, average, minimum or maximum of a field. */
export async function reportMeasure(context: TableContext, request: MeasureRequest): Promise<Output> {
  const { operation, where } = request;
  const result = await context.records.measure(request);
  const field = context.table.find(request.field);
  const label = field === undefined ? request.field : labelOf(field);
  const records = `${context.table.name}${filterText(context, where)}`;
  const text =
    result === null
      ? `No record in ${records} has a value for ${label}.`
      : `The ${operation} of ${label} of ${records} is ${measureText(context, field, operation, result)}.`;
  return { status: 'done', text, value: { operation, field: request.field, result } };
}

function filterText({ table, clock }: TableContext, where: Condition | undefined): string {
  return where === undefined ? '' : ` where ${showCondition(table, where, clock)}`;
}

const longestValue = 200; // The maximum number of characters per value.

/** Formats a computed measure as text. A minimum or maximum is formatted like the field's values. */
function measureText(
  { clock }: TableContext,
  field: Field | undefined,
  measure: Measure,
  result: Json,
): string {
  if (result === null) return '—';
  const isOfField = field !== undefined && (measure === 'minimum' || measure === 'maximum');
  if (isOfField) return cutText(showValue(field, result, clock), longestValue);
  return typeof result === 'number'
    ? String(result)
    : cutText(JSON.stringify(result).replaceAll('"', ''), longestValue);
}

const maxGroups = 1_000; // The default limit on the number of groups, the same as the limit for a list.

/** Reports a count or other measure for each value of a field. */
export async function reportGroups(context: TableContext, request: GroupRequest): Promise<Output> {
  const { table, records } = context;
  const { measure } = request;
  const { groups, total } = await records.group({ limit: maxGroups, ...request });
  const by = table.find(request.by);
  const field = request.field === undefined ? undefined : table.find(request.field);
  const values =
    by === undefined
      ? groups.map(({ value }) => JSON.stringify(value))
      : await presentValues(
          context,
          by,
          groups.map(({ value }) => ({ [by.name]: value })),
        );
  const columns = [
    {
      label: by === undefined ? request.by : labelOf(by),
      align: by !== undefined && isNumeric(by.type) ? 'right' : 'left',
    },
    { label: field === undefined ? 'count' : `${measure} of ${labelOf(field)}`, align: 'right' },
  ] as const;
  const rows = groups.map(({ result }, index) => [
    values[index] ?? '',
    measureText(context, field, measure, result),
  ]);
  const all = total.toLocaleString('en');
  const tail = groups.length < total ? `${groups.length} of ${all} groups.` : `${total} groups.`;
  const text =
    groups.length === 0 ? `${table.name} has no records to group.` : `${showGrid(columns, rows)}\n${tail}`;
  const { records: shown, ...cut } = recordValues(groups.map(({ value, result }) => ({ value, result })));
  const named = optional('field', request.field);
  const value = { operation: 'group', by: request.by, measure, ...named, groups: shown, ...cut, total };
  return { status: 'done', text, value };
}

/** Describes a table's fields and lists examples of requests. */
export function reportFields(table: Table): Output {
  const columns = ['Field', 'Type', 'Needed', 'About'].map((label) => ({ label, align: 'left' as const }));
  const rows = table.fields.map((field) => {
    const { type, values = [], description } = field;
    const about = [values.join(', '), description].filter((part) => part !== '').join(': ');
    return [labelOf(field), type, neededText(field), about];
  });
  const text = [
    `${table.name}: ${cutText(table.purpose, 500)}`,
    showGrid(columns, rows),
    'You can say:',
    ...plainForms(table).map((form) => `- ${form}`),
    ...(table.help === undefined ? [] : [cutText(table.help, 500)]),
  ];
  const fields = table.fields.map(({ name, label, type, description, key, required, values }) => ({
    name,
    ...optional('label', label),
    type,
    description,
    ...(key === undefined ? {} : { key: true }),
    ...(required === true ? { required: true } : {}),
    ...optional('values', values),
  }));
  return { status: 'done', text: text.join('\n'), value: { operation: 'fields', table: table.name, fields } };
}

function neededText({ key, required, requiredWhen, derivator }: Field): string {
  if (key !== undefined) return key === 'given' ? 'key' : 'made';
  if (derivator !== undefined) return 'derived';
  if (required !== true) return '';
  return requiredWhen === undefined ? 'yes' : 'sometimes';
}

/** Returns example requests to this table that work without a model. */
export function plainForms({ name, fields, key, listed }: Table): readonly string[] {
  const filter = fields.find(({ values, key: isKey }) => values !== undefined && isKey === undefined);
  const isSettable = (field: Field): boolean => field.key === undefined && field.derivator === undefined;
  const settable = fields.find(isSettable);
  const named = listed.find(isSettable) ?? settable;
  const table = name.toLowerCase();
  const id = key.length === 1 ? `<${key[0]?.name ?? 'key'}>` : '<key>';
  return [
    `list ${table}${filter === undefined ? '' : ` where ${filter.name} is ${quoted(filter.values?.[0] ?? '')}`}`,
    `count ${table}${filter === undefined ? '' : ` by ${filter.name}`}`,
    `show ${id}`,
    ...(named === undefined ? [] : [`add ${table} ${named.name} ${example(named)}`]),
    ...(settable === undefined ? [] : [`set ${settable.name} to ${example(settable)} for ${id}`]),
    `delete ${id}`,
  ];
}

function example({ values, type }: Field): string {
  return values === undefined ? (examples[type] ?? '"…"') : quoted(values[0] ?? '');
}

const examples: Readonly<Partial<Record<Field['type'], string>>> = {
  integer: '5',
  bigint: '5',
  decimal: '2.5',
  boolean: 'yes',
  date: 'today',
};

function quoted(value: string): string {
  return /^[\w-]+$/.test(value) ? value : JSON.stringify(value);
}

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
