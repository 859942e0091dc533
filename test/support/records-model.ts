import { compareText, foldText } from '../../src/core/index.ts';
import type { Json } from '../../src/core/json.ts';
import type { Change, Written } from '../../src/families/table/records/change.ts';
import { keyText } from '../../src/families/table/records/records-context.ts';
import type { Records, Window } from '../../src/families/table/records/records.ts';
import { compareValues } from '../../src/engines/conditions/matches.ts';
import { isExact } from '../../src/engines/conditions/matches.ts';
import { matches } from '../../src/engines/conditions/matches.ts';
import type { GroupRequest, MeasureRequest } from '../../src/families/table/request/request.ts';
import type { Field, Table, TableRow } from '../../src/families/table/table.ts';
import type { Condition, Sort } from '../../src/engines/conditions/conditions.ts';

/** A simple in-memory reference implementation of records. */
export interface RecordsModel {
  rows(): readonly TableRow[];
  list(window: Window): Awaited<ReturnType<Records['list']>>;
  group(request: GroupRequest): Awaited<ReturnType<Records['group']>>;
  measure(request: MeasureRequest): Json;
  /**
   * Returns the expected outcome of changes. Numbers that the database generated are taken from `there`, the
   * actual records.
   */
  write(changes: readonly Change[], there: readonly TableRow[]): Written['outcome'];
  canUndo(): boolean;
  undo(): Written['outcome'];
}

/** Creates the reference implementation for one table. All writes belong to one session. */
export function createRecordsModel(table: Table): RecordsModel {
  let rows: readonly TableRow[] = [];
  const done: { readonly before: readonly TableRow[]; readonly after: readonly TableRow[] }[] = [];
  const keyOf = (row: TableRow): string => keyText(table.key.map(({ name }) => row[name] ?? null));
  const fitting = (where?: Condition): readonly TableRow[] =>
    rows.filter((row) => where === undefined || matches(table, where, row));
  const byKey: readonly Sort[] = table.key.map(({ name }) => ({ field: name, direction: 'up' }));
  const sorted = (list: readonly TableRow[], sorts: readonly Sort[]): readonly TableRow[] =>
    list.toSorted((a, b) => compareRows(table, [...sorts, ...byKey], a, b));
  const replaceRows = (next: readonly TableRow[]): Written['outcome'] => {
    if (hasRepeats(table, next)) return 'refused';
    rows = sorted(next, []);
    return 'done';
  };

  return {
    rows: () => rows,
    list({ where, sort = [], limit = Infinity, offset = 0 }) {
      const found = sorted(fitting(where), sort);
      return { rows: found.slice(offset, offset + limit), total: found.length };
    },
    measure: ({ operation, field, where }) => measure(table, operation, field, fitting(where)),
    group({ by, measure: operation, field = '', where, direction = 'down', limit = Infinity }) {
      const column = fieldOf(table, by);
      const spell = (value: Json): string =>
        isExact(column) || typeof value !== 'string' ? keyText([value]) : foldText(value);
      const groups = [...Map.groupBy(fitting(where), (row) => spell(row[by] ?? null)).values()].map(
        (members) => ({
          value: members
            .map((row) => row[by] ?? null)
            .reduce((a, b) => (compareText(textOf(b), textOf(a)) < 0 ? b : a)),
          result: operation === 'count' ? members.length : measure(table, operation, field, members),
        }),
      );
      const measured = operation === 'count' ? undefined : fieldOf(table, field);
      groups.sort(
        (a, b) =>
          placed(a.result, b.result, direction, (x, y) =>
            measured === undefined || (typeof x === 'number' && typeof y === 'number')
              ? Number(x) - Number(y)
              : compareValues(
                  { ...measured, type: measured.type === 'integer' ? 'bigint' : measured.type },
                  x,
                  y,
                ),
          ) || placed(a.value, b.value, 'up', (x, y) => compareValues(column, x, y)),
      );
      return { groups: groups.slice(0, limit), total: groups.length };
    },
    write(changes, there) {
      const now = new Map(rows.map((row) => [keyOf(row), row]));
      const expected = changes.flatMap((change) => (change.kind === 'add' ? [] : [change.before]));
      if (expected.some((row) => !isSame(table, row, now.get(keyOf(row))))) return 'stale';
      const before = rows;
      const known = new Set(now.keys());
      const numbers = there.filter((row) => !known.has(keyOf(row))).values();
      const next = new Map(now);
      const added: TableRow[] = [];
      for (const change of changes) {
        if (change.kind !== 'delete') {
          const isGenerated = change.kind === 'add' && table.key[0]?.key === 'auto-increment';
          const { [table.key[0]?.name ?? '']: number = null } =
            (isGenerated ? numbers.next().value : undefined) ?? {};
          const row = { ...change.after, ...(isGenerated ? { [table.key[0]?.name ?? '']: number } : {}) };
          if (change.kind === 'add') added.push(row);
          else next.set(keyOf(row), row);
        } else next.delete(keyOf(change.before));
      }
      const outcome = replaceRows([...next.values(), ...added]);
      if (outcome === 'done') done.push({ before, after: rows });
      return outcome;
    },
    canUndo: () => done.length > 0,
    undo() {
      const last = done.at(-1);
      if (last === undefined) throw new Error('there is nothing to take back');
      const now = new Map(rows.map((row) => [keyOf(row), row]));
      const [was, came] = [last.before, last.after].map(
        (list) => new Map(list.map((row) => [keyOf(row), row])),
      );
      const touched = [...new Set([...was!.keys(), ...came!.keys()])].filter(
        (key) => was!.get(key) !== came!.get(key),
      );
      if (touched.some((key) => came!.has(key) && !isSame(table, came!.get(key)!, now.get(key))))
        return 'stale';
      for (const key of touched) {
        const before = was!.get(key);
        if (before === undefined) now.delete(key);
        else now.set(key, before);
      }
      const outcome = replaceRows([...now.values()]);
      if (outcome === 'done') done.pop();
      return outcome;
    },
  };
}

function fieldOf(table: Table, name: string): Field {
  const field = table.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(name);
  return field;
}

function isSame(table: Table, one: TableRow, other: TableRow | undefined): boolean {
  return (
    other !== undefined &&
    table.fields.every(({ name }) => keyText([one[name] ?? null]) === keyText([other[name] ?? null]))
  );
}

function hasRepeats(table: Table, rows: readonly TableRow[]): boolean {
  const sets = [
    table.key.map(({ name }) => name),
    ...table.fields.filter(({ unique }) => unique).map(({ name }) => [name]),
  ];
  return sets.some((names) => {
    const values = rows
      .map((row) => names.map((name) => row[name] ?? null))
      .filter((value) => !value.includes(null));
    return new Set(values.map((value) => keyText(value))).size < values.length;
  });
}

/** Records without a value come last in both directions. */
function placed(a: Json, b: Json, direction: 'up' | 'down', compare: (a: Json, b: Json) => number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return direction === 'up' ? compare(a, b) : -compare(a, b);
}

function compareRows(table: Table, sorts: readonly Sort[], a: TableRow, b: TableRow): number {
  for (const { field, direction } of sorts) {
    const column = fieldOf(table, field);
    const order = placed(a[field] ?? null, b[field] ?? null, direction, (x, y) =>
      compareValues(column, x, y),
    );
    if (order !== 0) return order;
  }
  return 0;
}

function measure(
  table: Table,
  operation: MeasureRequest['operation'],
  name: string,
  rows: readonly TableRow[],
): Json {
  const field = fieldOf(table, name);
  const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null);
  if (values.length === 0) return null;
  if (operation === 'minimum' || operation === 'maximum') {
    const sorted = values.toSorted((a, b) => compareValues(field, a, b));
    return (operation === 'minimum' ? sorted[0] : sorted.at(-1)) ?? null;
  }
  if (field.type === 'decimal') {
    const thousandths = values.reduce((sum: number, value) => sum + Math.round(Number(value) * 1000), 0);
    return Number((thousandths / 1000 / (operation === 'sum' ? 1 : values.length)).toPrecision(15));
  }
  const sum = values.reduce((total: bigint, value) => total + BigInt(textOf(value)), 0n);
  if (operation === 'average') return Number((Number(sum) / values.length).toPrecision(15));
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum.toString();
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
