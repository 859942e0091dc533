import { normaliseKey, quote, type Json } from '../../core/index.ts';
import type { LocalClock } from '../../engines/values/calendar.ts';
import type { ValueRead } from '../../engines/values/numbers.ts';
import { isFreeText, valueTypes } from '../../engines/values/types.ts';
import { labelOf, type Field } from './table.ts';

/** Converts a value to its field's standard form. On failure, returns a message that names the field. */
export function readValue(field: Field, given: Json, clock: LocalClock): ValueRead {
  if (given === null || given === '') return { value: null };
  if (typeof given === 'string' && !isFreeText(field.type) && given.trim() === '') return { value: null };
  const read = valueTypes[field.type].read(given, clock);
  if ('fault' in read) return { fault: `"${labelOf(field)}" ${read.fault}` };
  return field.values === undefined ? read : readListed(field, field.values, read.value, clock);
}

/** Finds a value in the list of allowed values and returns it as spelled in the list. */
function readListed(field: Field, values: readonly string[], value: Json, clock: LocalClock): ValueRead {
  const given = Array.isArray(value) ? (value as readonly Json[]) : [value];
  const found = given.map((one) => listed(field, values, one, clock));
  const missing = found.indexOf(undefined);
  if (missing === -1) return { value: Array.isArray(value) ? (found as Json[]) : (found[0] ?? null) };
  const shown = values.slice(0, maxShown).map((one) => quote(one));
  const more = values.length > maxShown ? `, … (${values.length} in all)` : '';
  const not = quote(given[missing] ?? null);
  return { fault: `"${labelOf(field)}" must be one of ${shown.join(', ')}${more}, not ${not}.` };
}

const maxShown = 12;

function listed(
  { type }: Field,
  values: readonly string[],
  value: Json,
  clock: LocalClock,
): Json | undefined {
  if (typeof value === 'object') return undefined;
  const plain = String(value);
  if (values.includes(plain)) return value;
  if (isFreeText(type) || type === 'array')
    return values.find((one) => normaliseKey(one) === normaliseKey(plain));
  const isSame = (one: string): boolean => {
    const read = valueTypes[type].read(one, clock);
    return 'value' in read && read.value === value;
  };
  return values.some(isSame) ? value : undefined;
}
