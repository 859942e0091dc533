import type { Json, Output } from '../../../core/index.ts';
import type { TableContext } from '../table-context.ts';
import type { Condition, CountRequest, Measure, MeasureRequest } from '../request/request.ts';
import { counted } from '../show/text.ts';
import { cutText } from '../show/text.ts';
import { labelOf } from '../show/text.ts';
import { showCondition } from '../show/values.ts';
import type { Field } from '../table.ts';
import { showValue } from '../values/value-types.ts';

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
  const what = `${operation} of ${label} of ${context.table.name}${filterText(context, where)}`;
  const text =
    result === null
      ? `No record in ${context.table.name}${filterText(context, where)} has a value for ${label}.`
      : `The ${what} is ${measureText(context, field, operation, result)}.`;
  return { status: 'done', text, value: { operation, field: request.field, result } };
}

const longestValue = 200; // The maximum number of characters per value.

/** Formats a computed measure as text. A minimum or maximum is formatted like the field's values. */
export function measureText(
  { clock }: Pick<TableContext, 'clock'>,
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

function filterText({ table, clock }: TableContext, where: Condition | undefined): string {
  return where === undefined ? '' : ` where ${showCondition(table, where, clock)}`;
}
