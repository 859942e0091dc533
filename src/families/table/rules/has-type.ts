import type { Json } from '../../../core/json.ts';
import type { FieldType } from '../descriptor/definition.ts';

/** Whether a value has the one form in which values of a type are kept; no value has that of every type. */
export function hasType(type: FieldType, value: Json): boolean {
  return value === null || tests[type](value);
}

type Test = (value: Json) => boolean;

const isText: Test = (value) => typeof value === 'string' && value !== '' && value.isWellFormed();
const isWhole: Test = (value) => typeof value === 'number' && Number.isSafeInteger(value);

const tests: Readonly<Record<FieldType, Test>> = {
  string: isText,
  text: isText,
  email: isText,
  url: isText,
  uuid: formed(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i),
  integer: isWhole,
  bigint: (value) => isWhole(value) || formed(/^-?[1-9]\d{15,18}$/)(value),
  decimal: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && value.length === 10 && isMoment(`${value}T00:00:00.000Z`),
  datetime: (value) => isMoment(value),
  time: formed(/^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/),
  json: () => true,
  array: (value) => Array.isArray(value),
};

function formed(form: RegExp): Test {
  return (value) => typeof value === 'string' && form.test(value);
}

/** A moment of the years 0001 to 9999 that the calendar has. */
function isMoment(value: Json): boolean {
  if (typeof value !== 'string' || value.length !== 24 || value < '0001') return false;
  const moment = Date.parse(value);
  return !Number.isNaN(moment) && new Date(moment).toISOString() === value;
}
