import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../core/json.ts';
import { addMonths, dayNumber, isoDay, type LocalClock } from './calendar.ts';
import { numberWord } from './numbers.ts';
import { calendarPeriod, countedPeriod, shiftedPeriod, type Period } from './periods.ts';
import { showValue, valueTypes, type ValueKind } from './types.ts';

const clock: LocalClock = { now: Date.UTC(2026, 10, 18, 9), zone: 'Europe/Berlin' }; // a Wednesday

function days(period: Period | undefined): readonly (string | undefined)[] {
  return period !== undefined && 'first' in period ? [isoDay(period.first), isoDay(period.last)] : [];
}

describe('a period', () => {
  test('of the calendar is read from text', () => {
    assert.deepEqual(days(calendarPeriod('may 2026')), ['2026-05-01', '2026-05-31']);
    assert.deepEqual(days(calendarPeriod('2024-02')), ['2024-02-01', '2024-02-29']);
    assert.deepEqual(days(calendarPeriod('q4 2026')), ['2026-10-01', '2026-12-31']);
    assert.deepEqual(days(calendarPeriod('2026')), ['2026-01-01', '2026-12-31']);
    assert.equal(calendarPeriod('smarch 2026'), undefined);
  });

  test('is counted from today', () => {
    assert.deepEqual(days(shiftedPeriod(clock, 'week', -1)), ['2026-11-09', '2026-11-15']);
    assert.deepEqual(days(shiftedPeriod(clock, 'quarter', 1)), ['2027-01-01', '2027-03-31']);
    assert.deepEqual(days(countedPeriod(clock, 7, 'day', -1)), ['2026-11-12', '2026-11-18']);
    assert.deepEqual(countedPeriod(clock, 5, 'minute', -1), { from: clock.now - 300_000, to: clock.now });
  });
});

test('months are added without leaving the month', () => {
  assert.equal(isoDay(addMonths(dayNumber(2026, 1, 31) ?? 0, 1) ?? 0), '2026-02-28');
});

test('a number can be a word', () => {
  assert.deepEqual(['two', 'twenty-one', 'dozen', 'many'].map(numberWord), [2, 21, 12, undefined]);
});

test('a value is read in the form of its kind, and shown in a form that is read back', () => {
  const cases: readonly (readonly [ValueKind, Json, Json])[] = [
    ['integer', '1,500', 1500],
    ['decimal', '.5', 0.5],
    ['boolean', 'yes', true],
    ['date', '18 Nov 2026', '2026-11-18'],
    ['datetime', '2026-11-18 10:00', '2026-11-18T09:00:00.000Z'],
    ['time', '2 pm', '14:00:00'],
    ['array', 'a, "b, c"', ['a', 'b, c']],
  ];
  for (const [type, given, value] of cases) {
    assert.deepEqual(valueTypes[type].read(given, clock), { value }, type);
    const shown = showValue({ type }, value, clock);
    assert.deepEqual(valueTypes[type].read(shown, clock), { value }, shown);
  }
  assert.ok('fault' in valueTypes.date.read('03/04/2026', clock));
});
