import type { Json } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import { dayNumber } from '../values/calendar.ts';

/** Whether a value has the form in which a type's values are stored. Null is valid for every type. */
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
  date: (value) => typeof value === 'string' && value.length === 10 && isDay(value),
  datetime: (value) => formed(/^.{10}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/)(value) && isDay(value),
  time: formed(/^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/),
  json: () => true,
  array: (value) => Array.isArray(value),
};

function formed(form: RegExp): Test {
  return (value) => typeof value === 'string' && form.test(value);
}

/** Whether text begins with a valid calendar date in the years 0001 to 9999. */
function isDay(text: Json): boolean {
  const [, year = 0, month = 0, day = 0] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T|$)/.exec(typeof text === 'string' ? text : '')?.map(Number) ?? [];
  return dayNumber(year, month, day) !== undefined;
}
