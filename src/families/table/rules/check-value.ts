import { asText, type Json } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import type { Field } from '../table.ts';
import { hasType } from './has-type.ts';
import { labelOf } from '../show/label-of.ts';
import { anyTime } from '../values/any-time.ts';
import { quote } from '../values/quote.ts';
import { readValue } from '../values/read-value.ts';
import type { TestPattern } from './test-pattern.ts';

/** What the rules of a field say against a value, as a sentence; undefined where they allow it. */
export function checkValue(field: Field, value: Json, testPattern: TestPattern): string | undefined {
  const fault = typeFault(field, value) ?? listFault(field, value) ?? lengthFault(field, value);
  return fault ?? boundFault(field, value) ?? patternFault(field, value, testPattern);
}

/** What is said of a value of another type. */
export function typeFault(field: Field, value: Json): string | undefined {
  if (hasType(field.type, value)) return undefined;
  return `${labelOf(field)} ${quote(value)} is not ${typeNames[field.type]}.`;
}

const typeNames: Readonly<Record<FieldType, string>> = {
  string: 'a text',
  text: 'a text',
  integer: 'a whole number',
  bigint: 'a whole number',
  decimal: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2026-05-31',
  datetime: 'a time such as 2026-05-31T14:00:00.000Z',
  time: 'a time of day such as 14:00:00',
  json: 'JSON',
  array: 'a list',
  email: 'a mail address',
  url: 'an address of the web',
  uuid: 'a uuid',
};

const mostNamed = 12;

function listFault(field: Field, value: Json): string | undefined {
  const { values } = field;
  if (values === undefined) return undefined;
  const wrong = entriesOf(value).find(
    (one) => typeof one === 'object' || !(values.includes(String(one)) || isRead(field, one)),
  );
  if (wrong === undefined) return undefined;
  const more = values.length > mostNamed ? `, and ${values.length - mostNamed} more` : '';
  return `${labelOf(field)} ${quote(wrong)} is none of: ${values.slice(0, mostNamed).join(', ')}${more}.`;
}

/** Whether it reads as itself, as 1 does where 1.0 is listed. */
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
    return `${labelOf(field)} ${quote(value)} has ${length} ${unit}; at most ${maxLength} are allowed.`;
  if (minLength !== undefined && length < minLength)
    return `${labelOf(field)} ${quote(value)} has ${length} ${unit}; at least ${minLength} are needed.`;
  return undefined;
}

/** In characters as people count them, or entries of a list. */
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
    return `${labelOf(field)} ${quote(value)} is too much; the most is ${maximum}.`;
  if (minimum !== undefined && number < minimum)
    return `${labelOf(field)} ${quote(value)} is too little; the least is ${minimum}.`;
  return undefined;
}

function patternFault(field: Field, value: Json, testPattern: TestPattern): string | undefined {
  const { pattern } = field;
  if (pattern === undefined) return undefined;
  const outcomes = textsOf(value).map((text) => testPattern(pattern, text));
  const outcome = outcomes.find((one) => one !== 'fits');
  if (outcome === undefined) return undefined;
  return outcome === 'other'
    ? `${labelOf(field)} ${quote(value)} does not fit the pattern ${pattern.source}.`
    : `${labelOf(field)} ${quote(value)} takes too long to compare with the pattern ${pattern.source}, so it is refused.`;
}

/** The entries of a list, which each have to keep the rules, or the value itself. */
function entriesOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

/** What a pattern is held against: the value, or each entry of a list, as text. */
export function textsOf(value: Json): readonly string[] {
  return value === null ? [] : entriesOf(value).map(asText);
}
