import fc from 'fast-check';
import type { Json } from '../../src/core/json.ts';
import { isMeasurable, isNumeric, isOrdered } from '../../src/engines/values/types.ts';
import type { GroupRequest, MeasureRequest } from '../../src/families/table/request/request.ts';
import type { Field, Table, TableRow } from '../../src/families/table/table.ts';
import { comparisonsOf, type Condition, type Sort } from '../../src/engines/conditions/conditions.ts';

const texts = [
  ...[
    'a',
    'A',
    'b',
    'B',
    'ab',
    'Ab',
    'aB',
    '_',
    '%',
    'a%',
    '%a',
    'a_b',
    '\\',
    '\\%',
    "'",
    '"',
    "' OR 1=1 --",
  ],
  ...[
    'ä',
    'Ä',
    'ß',
    'é',
    'e\u0301',
    '日本',
    '😀',
    '\uFFFD',
    '\u{10FFFF}',
    ' ',
    'a b',
    '\t',
    '\n',
    '[',
    'Z',
    '0',
    '10',
    '9',
  ],
  ...['null', 'NULL', '{}', '--', ';', '$1', '?', ':a', '*', 'x'.repeat(300)],
];

/**
 * Generates the values that requests and records use for a field, including null. Few distinct values make
 * matches likely.
 */
export function valuesOf(field: Field): fc.Arbitrary<Json> {
  return field.key === undefined
    ? fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 5, arbitrary: realValues(field) })
    : realValues(field);
}

function realValues({ type }: Field): fc.Arbitrary<Json> {
  switch (type) {
    case 'integer':
      return fc.constantFrom(
        0,
        1,
        -1,
        7,
        10,
        9,
        2 ** 31,
        -(2 ** 31),
        Number.MAX_SAFE_INTEGER,
        Number.MIN_SAFE_INTEGER,
      );
    case 'bigint':
      return fc.constantFrom<Json>(
        0,
        1,
        -1,
        2 ** 53 - 1,
        '9007199254740993',
        '9223372036854775807',
        '-9223372036854775808',
      );
    case 'decimal':
      return fc.constantFrom(0, 0.1, 0.2, 0.3, -0.5, 1, 2.25, 1000.125, 99999.999, -1);
    case 'boolean':
      return fc.boolean();
    case 'date':
      return fc.constantFrom('0001-01-01', '1969-12-31', '2024-02-29', '2026-11-16', '9999-12-31');
    case 'datetime':
      return fc.constantFrom(
        '0001-01-01T00:00:00.000Z',
        '1969-12-31T23:59:59.999Z',
        '2026-03-29T01:00:00.001Z',
        '9999-12-31T23:59:59.999Z',
      );
    case 'time':
      return fc.constantFrom('00:00:00', '00:00:01', '12:30:00', '23:59:59');
    case 'uuid':
      return fc.constantFrom(
        '00000000-0000-4000-8000-000000000000',
        'a0000000-0000-4000-8000-00000000000f',
        'ffffffff-ffff-4fff-bfff-ffffffffffff',
      );
    case 'json':
      return fc.constantFrom<Json>(0, false, 'a', [], {}, { b: 1, a: [null, 'x'] }, [1, 'ä'], 1.5);
    case 'array':
      return fc.constantFrom<Json>([], ['a'], ['a', 'B'], [1, null]);
    default:
      return fc.oneof(fc.constantFrom('a', 'A', 'b', 'B', 'ab', 'Ab'), fc.constantFrom(...texts));
  }
}

/** Generates new records with all fields, except a generated key. */
export function rowsOf(table: Table): fc.Arbitrary<readonly TableRow[]> {
  const given = table.fields.filter(({ key }) => key !== 'auto-increment');
  return fc.array(fc.record(Object.fromEntries(given.map((field) => [field.name, valuesOf(field)]))), {
    minLength: 1,
    maxLength: 5,
  });
}

/** Generates conditions that a request to a table can have. */
export function conditions(table: Table): fc.Arbitrary<Condition> {
  const leaf = fc
    .constantFrom(...table.fields)
    .chain((field) => fc.constantFrom(...comparisonsOf(field.type)).chain((is) => leafOf(field, is)));
  const { tree } = fc.letrec<{ tree: Condition }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie('tree'), { maxLength: 3 }).map((any) => ({ any })),
      tie('tree').map((not) => ({ not })),
    ),
  }));
  return tree;
}

function leafOf(
  field: Field,
  is: Extract<Condition, { readonly field: string }>['is'],
): fc.Arbitrary<Condition> {
  const { name } = field;
  const value = realValues(field);
  if (is === 'empty' || is === 'not-empty') return fc.constant({ field: name, is });
  if (is === 'between') return fc.tuple(value, value).map((pair) => ({ field: name, is, value: pair }));
  if (is === 'in' || is === 'not-in')
    return fc.array(value, { maxLength: 4 }).map((list) => ({ field: name, is, value: list }));
  return value.map((one) => ({ field: name, is, value: one }));
}

/** Generates sort orders of lists. */
export function sorts(table: Table): fc.Arbitrary<readonly Sort[]> {
  const fields = table.fields.filter(({ type }) => isOrdered(type)).map(({ name }) => name);
  return fc.array(
    fc.record({ field: fc.constantFrom(...fields), direction: fc.constantFrom('up', 'down') }),
    { maxLength: 3 },
  );
}

/** Generates measurements of a table, or returns undefined if it has no field to measure. */
export function measures(table: Table): fc.Arbitrary<MeasureRequest | undefined> {
  const all = table.fields.flatMap(({ name, type }): readonly MeasureRequest[] => [
    ...(isNumeric(type) ? (['sum', 'average'] as const) : []).map((operation) => ({
      operation,
      field: name,
    })),
    ...(isMeasurable(type) ? (['minimum', 'maximum'] as const) : []).map((operation) => ({
      operation,
      field: name,
    })),
  ]);
  return all.length === 0 ? fc.constant(undefined) : fc.constantFrom(...all);
}

/** Generates requests for one result per value of a field. */
export function groupings(table: Table): fc.Arbitrary<GroupRequest> {
  const by = table.fields.filter(({ type }) => isOrdered(type)).map(({ name }) => name);
  return fc
    .tuple(
      fc.constantFrom(...by),
      measures(table),
      fc.constantFrom('up', 'down', undefined),
      fc.constantFrom(1, 3, undefined),
    )
    .map(([name, measured, direction, limit]) => ({
      operation: 'group',
      by: name,
      ...(measured === undefined
        ? { measure: 'count' }
        : { measure: measured.operation, field: measured.field }),
      ...(direction === undefined ? {} : { direction }),
      ...(limit === undefined ? {} : { limit }),
    }));
}
