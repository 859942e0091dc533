import { asText, type Json } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import type { Field } from '../table.ts';
import { hasType } from './has-type.ts';
import { labelOf } from '../show/label-of.ts';
import { anyTime } from '../values/any-time.ts';
import { quote } from '../values/quote.ts';
import { readValue } from '../values/read-value.ts';
import type { TestPattern } from './test-pattern.ts';

/**
 * Checks a value against its field's rules. Returns a sentence that explains the violation, or undefined if
 * there is none.
 */
export function checkValue(field: Field, value: Json, testPattern: TestPattern): string | undefined {
  const fault = typeFault(field, value) ?? listFault(field, value) ?? lengthFault(field, value);
  return fault ?? boundFault(field, value) ?? patternFault(field, value, testPattern);
}

/** Returns the message for a value of the wrong type, or undefined if the type is right. */
export function typeFault(field: Field, value: Json): string | undefined {
  if (hasType(field.type, value)) return undefined;
  return `${labelOf(field)} ${quote(value)} is not ${typeNames[field.type]}.`;
}

const typeNames: Readonly<Record<FieldType, string>> = {
  string: 'text',
  text: 'text',
  integer: 'a whole number',
  bigint: 'a whole number',
  decimal: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2026-05-31',
  datetime: 'a time such as 2026-05-31T14:00:00.000Z',
  time: 'a time of day such as 14:00:00',
  json: 'JSON',
  array: 'a list',
  email: 'an email address',
  url: 'a web address',
  uuid: 'a UUID',
};

const maxNamed = 12;

function listFault(field: Field, value: Json): string | undefined {
  const { values } = field;
  if (values === undefined) return undefined;
  const wrong = entriesOf(value).find(
    (one) => typeof one === 'object' || !(values.includes(String(one)) || isRead(field, one)),
  );
  if (wrong === undefined) return undefined;
  const more = values.length > maxNamed ? `, and ${values.length - maxNamed} more` : '';
  return `${labelOf(field)} ${quote(wrong)} is not one of: ${values.slice(0, maxNamed).join(', ')}${more}.`;
}

/** Whether a value equals a listed value after parsing. For example, 1 equals a listed 1.0. */
function isRead(field: Field, value: Json): boolean {
  const read = readValue(field, value, anyTime);
  return 'value' in read && read.value === value;
}

function lengthFault(field: Field, value: Json): string | undefined {
  const { minLength, maxLength } = field;
  if (minLength === undefined && maxLength === undefined) return undefined;
  const length = lengthOf(value);
  const unit = Array.isArray(value) ? 'entries' : 'characters';
  if (maxLength !== undefined && length > maxLength)
    return `${labelOf(field)} ${quote(value)} has ${length} ${unit}; the maximum is ${maxLength}.`;
  if (minLength !== undefined && length < minLength)
    return `${labelOf(field)} ${quote(value)} has ${length} ${unit}; the minimum is ${minLength}.`;
  return undefined;
}

/** Returns the number of Unicode code points in a string, or the number of entries in a list. */
function lengthOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return Array.from(asText(value)).length;
}

function boundFault(field: Field, value: Json): string | undefined {
  const { minimum, maximum } = field;
  if (minimum === undefined && maximum === undefined) return undefined;
  const number = typeof value === 'string' ? BigInt(value) : value;
  if (typeof number !== 'number' && typeof number !== 'bigint') return undefined;
  if (maximum !== undefined && number > maximum)
    return `${labelOf(field)} ${quote(value)} is too large; the maximum is ${maximum}.`;
  if (minimum !== undefined && number < minimum)
    return `${labelOf(field)} ${quote(value)} is too small; the minimum is ${minimum}.`;
  return undefined;
}

function patternFault(field: Field, value: Json, testPattern: TestPattern): string | undefined {
  const { pattern } = field;
  if (pattern === undefined) return undefined;
  const outcomes = textsOf(value).map((text) => testPattern(pattern, text));
  const outcome = outcomes.find((one) => one !== 'fits');
  if (outcome === undefined) return undefined;
  return outcome === 'other'
    ? `${labelOf(field)} ${quote(value)} does not match the pattern ${pattern.source}.`
    : `${labelOf(field)} ${quote(value)} takes too long to match against the pattern ${pattern.source}, so it is refused.`;
}

/** Returns a list's entries, or a single value as the only entry. The rules apply to each entry. */
function entriesOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

/** Returns the strings to match against a pattern: the value, or each entry of a list. */
export function textsOf(value: Json): readonly string[] {
  return value === null ? [] : entriesOf(value).map(asText);
}
