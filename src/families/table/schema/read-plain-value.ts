import type { Json } from '../../../core/index.ts';
import type { TableClock, Field } from '../table.ts';
import { readValue } from '../values/read-value.ts';

const clocks: readonly TableClock[] = [Date.UTC(2001, 1, 14), Date.UTC(2024, 8, 3)].map((now) => ({
  now,
  zone: 'UTC',
}));

/** Returns a field's default, or undefined if there is none or it depends on the time, such as "today". */
export function readPlainDefault(field: Field): Json | undefined {
  return field.default === undefined ? undefined : readPlainValue(field, field.default);
}

/** Converts a value to its field's type. Returns undefined if it is invalid or depends on the time. */
export function readPlainValue(field: Field, given: Json): Json | undefined {
  const readings = clocks.map((clock) => readValue(field, given, clock));
  const [first] = readings;
  if (first === undefined || 'fault' in first) return undefined;
  return new Set(readings.map((reading) => JSON.stringify(reading))).size === 1 ? first.value : undefined;
}
