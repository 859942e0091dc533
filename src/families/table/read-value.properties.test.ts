import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableOf } from '../../../test/support/word-tables.ts';
import { parseJson, type Json } from '../../core/json.ts';
import { visible } from '../../core/text.ts';
import { isoDay } from '../../engines/values/calendar.ts';
import { showValue } from '../../engines/values/types.ts';
import { readValue } from './read-value.ts';
import fc from 'fast-check';

/** Whether a value contains no characters that are escaped for display. */
function isVisible(value: Json): boolean {
  return visible(JSON.stringify(value)) === JSON.stringify(value);
}

const visibleText = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => visible(text) === text);
const instant = fc
  .integer({ min: Date.parse('0001-01-02T00:00:00Z'), max: Date.parse('9999-12-30T00:00:00Z') })
  .map((time) => new Date(time).toISOString());

const values: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  string: visibleText,
  text: visibleText,
  integer: fc.maxSafeInteger(),
  bigint: fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))),
  decimal: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  boolean: fc.boolean(),
  date: fc.integer({ min: -719_162, max: 2_932_896 }).map((day) => isoDay(day)!),
  datetime: fc.oneof(
    instant,
    fc
      .integer({ min: Date.UTC(2026, 9, 24), max: Date.UTC(2026, 9, 27) })
      .map((time) => new Date(time).toISOString()),
  ),
  time: fc
    .integer({ min: 0, max: 86_399 })
    .map((second) => new Date(second * 1_000).toISOString().slice(11, 19)),
  json: fc
    .jsonValue()
    .map((value) => parseJson(JSON.stringify(value)) ?? 0)
    .filter((value) => value !== '' && value !== null && isVisible(value)),
  array: fc.array(fc.oneof(visibleText, fc.integer(), fc.constant(null))).filter(isVisible),
  uuid: fc.uuid(),
  email: fc.constantFrom('ann@example.com', 'a.b+c@x.example.org'),
  url: fc.webUrl(),
};

/** Whether a text would be parsed as JSON in a JSON field, and thus change. */
function isJsonText(type: string, value: Json): boolean {
  return type === 'json' && typeof value === 'string';
}

const table = tableOf('All', ...Object.keys(values).map((type) => `a_${type}: ${type}`));
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
);

for (const [type, arbitrary] of Object.entries(values)) {
  test(`what is shown of a ${type} is read back`, () => {
    const field = table.find(`a_${type}`)!;
    fc.assert(
      fc.property(arbitrary, zone, fc.integer({ min: 0, max: 4e12 }), (value, name, now) => {
        const clock = { now, zone: name };
        if (!isJsonText(type, value)) assert.deepEqual(readValue(field, value, clock), { value });
        assert.deepEqual(readValue(field, showValue(field, value, clock), clock), { value });
      }),
      { numRuns: 150 },
    );
  });
}

test('whatever is given, it is a value in its form or a fault', () => {
  const given = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.jsonValue() as fc.Arbitrary<Json>);
  fc.assert(
    fc.property(given, fc.constantFrom(...table.fields), (value, field) => {
      const clock = { now: 0, zone: 'UTC' };
      const read = readValue(field, value, clock);
      if ('fault' in read) assert.match(read.fault, /\.$/);
      else if (!isJsonText(field.type, read.value))
        assert.deepEqual(readValue(field, read.value, clock), read);
    }),
    { numRuns: 500 },
  );
});
