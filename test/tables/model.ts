import { parse } from 'csv-parse/sync';
import type { Diff, Row, Value } from './request.ts';

/** A table as the test understands it, independent of the package: its types, derived fields and policy. */
export interface TableModel {
  readonly name: string;
  /** The fields in order, the key first, each with its type. */
  readonly fields: Readonly<Record<string, 'text' | 'number' | 'boolean' | 'date' | 'time' | 'list'>>;
  /** The values of new records that give none. */
  readonly defaults: Row;
  /** Computes the derived fields. */
  readonly derive: (row: Row) => Row;
  /** Names the policies that a change breaks. `before` is undefined for a new record. */
  readonly breaks: (after: Row, before: Row | undefined) => readonly string[];
}

/** The records of one table, by key. */
export type State = ReadonlyMap<string, Row>;

/** Returns the records of a CSV file. */
export function readRecords(model: TableModel, csv: string): State {
  const rows = parse(csv, { columns: true }) as readonly Readonly<Record<string, string>>[];
  const diff = rows.map((row) => {
    const values = Object.entries(row).map(([field, text]) => [field, readCell(model, field, text)]);
    return [Object.values(row)[0] ?? '', Object.fromEntries(values) as Row] as const;
  });
  return apply(model, new Map(), Object.fromEntries(diff));
}

function readCell({ fields }: TableModel, field: string, text: string): Value {
  if (text === '') return null;
  switch (fields[field]) {
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'yes';
    case 'time':
      return new Date(text).toISOString();
    case 'list':
      return JSON.parse(text) as readonly string[];
    default:
      return text;
  }
}

/** Returns the state after a change. */
export function apply(model: TableModel, state: State, diff: Diff): State {
  const next = new Map(state);
  for (const [key, change] of Object.entries(diff)) {
    if (change === null) next.delete(key);
    else next.set(key, model.derive({ ...(state.get(key) ?? newRow(model, key)), ...change }));
  }
  return new Map([...next].sort(([one], [other]) => compare(keyOf(model, one), keyOf(model, other))));
}

/** Returns the policies that a change breaks. */
export function brokenBy(model: TableModel, state: State, diff: Diff): readonly string[] {
  const after = apply(model, state, diff);
  return Object.keys(diff).flatMap((key) => {
    const row = after.get(key);
    return row === undefined ? [] : model.breaks(row, state.get(key));
  });
}

function newRow(model: TableModel, key: string): Row {
  const [first = ''] = Object.keys(model.fields);
  const nothing = Object.keys(model.fields).map((field) => [field, null]);
  return { ...(Object.fromEntries(nothing) as Row), ...model.defaults, [first]: keyOf(model, key) };
}

function keyOf({ fields }: TableModel, key: string): string | number {
  return Object.values(fields)[0] === 'number' ? Number(key) : key;
}

/** Compares values as the table sorts them: texts by bytes, empty values last. */
export function compare(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}
