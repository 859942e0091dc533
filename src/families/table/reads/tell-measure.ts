import type { Json, Output } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';
import type { Condition, CountRequest, Measure, MeasureRequest } from '../request/request.ts';
import { counted } from '../show/counted.ts';
import { cutText } from '../show/cut-text.ts';
import { labelOf } from '../show/label-of.ts';
import { showCondition } from '../show/show-condition.ts';
import type { Field } from '../table.ts';
import { showValue } from '../values/show-value.ts';

/** How many records there are. */
export async function tellCount(ground: Ground, { where }: CountRequest): Promise<Output> {
  const count = await ground.records.count(where);
  const text = `${counted(count, 'record')} of ${ground.table.name}${filterText(ground, where)}.`;
  return { status: 'done', text, value: { operation: 'count', count } };
}

/** One number over a field. */
export async function tellMeasure(ground: Ground, request: MeasureRequest): Promise<Output> {
  const { operation, where } = request;
  const result = await ground.records.measure(request);
  const field = ground.table.find(request.field);
  const label = field === undefined ? request.field : labelOf(field);
  const what = `${operation} of ${label} of ${ground.table.name}${filterText(ground, where)}`;
  const text =
    result === null
      ? `No record of ${ground.table.name}${filterText(ground, where)} has a value of ${label}.`
      : `The ${what} is ${measureText(ground, field, operation, result)}.`;
  return { status: 'done', text, value: { operation, field: request.field, result } };
}

const longestValue = 200; // characters

/** What was worked out, for people; the least and the greatest value look as the field does. */
export function measureText(
  { clock }: Pick<Ground, 'clock'>,
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

function filterText({ table, clock }: Ground, where: Condition | undefined): string {
  return where === undefined ? '' : ` where ${showCondition(table, where, clock)}`;
}
