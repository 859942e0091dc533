import fc from 'fast-check';
import type { Json } from '../../src/core/json.ts';
import { isoDay } from '../../src/engines/values/calendar.ts';
import { isMeasurable, isNumeric, isOrdered } from '../../src/engines/values/types.ts';
import type { TableRequest } from '../../src/families/table/request/request.ts';
import type { Field } from '../../src/families/table/table.ts';
import { equipment } from './word-tables.ts';
import {
  allOf,
  anyOf,
  comparisonsOf,
  negate,
  type Condition,
} from '../../src/engines/conditions/conditions.ts';

const fields = equipment.fields.filter(({ type }) => type !== 'email' && type !== 'url');
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((one) => !one.includes('\0')),
  fc.constantFrom(
    'and',
    'a or b',
    'x, y',
    '"',
    '\\',
    "it's",
    'sort by name',
    '(',
    '%_',
    'null',
    ' ',
    'where',
  ),
);
const instant = fc.integer({ min: -1e12, max: 4e12 }).map((time) => new Date(time).toISOString());

function valueOf(field: Field): fc.Arbitrary<Json> {
  if (field.values !== undefined) return fc.constantFrom(...field.values);
  switch (field.type) {
    case 'integer':
    case 'bigint':
      return fc.integer();
    case 'decimal':
      return fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 100);
    case 'boolean':
      return fc.boolean();
    case 'date':
      return fc.integer({ min: 0, max: 50_000 }).map((day) => isoDay(day)!);
    case 'datetime':
      return instant;
    case 'time':
      return fc
        .integer({ min: 0, max: 86_399 })
        .map((second) => new Date(second * 1_000).toISOString().slice(11, 19));
    case 'uuid':
      return fc.uuid();
    case 'array':
      return fc.array(text, { minLength: 1, maxLength: 3 });
    case 'json':
      return fc.record({ a: text });
    default:
      return text;
  }
}

const leaf: fc.Arbitrary<Condition> = fc.constantFrom(...fields).chain((field) =>
  fc.constantFrom(...comparisonsOf(field.type)).chain((is): fc.Arbitrary<Condition> => {
    const value = valueOf(field);
    if (is === 'empty' || is === 'not-empty') return fc.constant({ field: field.name, is });
    if (is === 'in' || is === 'not-in') {
      const size = field.type === 'datetime' || field.type === 'date' || field.type === 'boolean' ? 2 : 1;
      return fc
        .uniqueArray(value, { minLength: size, maxLength: 3 })
        .map((list) => ({ field: field.name, is, value: list }));
    }
    if (is !== 'between') {
      const isPart = is === 'contains' || is === 'not-contains' || is === 'starts-with' || is === 'ends-with';
      return (isPart ? text : value).map((one) => ({ field: field.name, is, value: one }));
    }
    const [low, high] = [0, 1_000_000];
    const ordered = isNumeric(field.type)
      ? fc.constant<Json>([low, high])
      : value.map<Json>((one) => [one, one]);
    return ordered.map((pair) => ({ field: field.name, is, value: pair }));
  }),
);

/** Generates conditions on the equipment table, in the form that the parser produces. */
export const randomCondition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'condition' },
    leaf,
    fc.array(tie('condition'), { minLength: 2, maxLength: 3 }).map((parts) => allOf(parts)),
    fc.array(tie('condition'), { minLength: 2, maxLength: 3 }).map((parts) => anyOf(parts)),
    tie('condition').map(negate),
  ),
})).condition;

const where = fc.option(
  randomCondition.filter((one) => !isKey(one)),
  { nil: undefined },
);

function isKey(condition: Condition): boolean {
  return 'field' in condition && condition.is === 'equals' && condition.field === 'equipment_id';
}

const named = (list: readonly Field[]): fc.Arbitrary<string> =>
  fc.constantFrom(...list.map(({ name }) => name));
const settable = fields.filter(({ derivator }) => derivator === undefined);
const ordered = fields.filter(({ type }) => isOrdered(type));

function recordOf(list: readonly Field[], minimum: number): fc.Arbitrary<Record<string, Json>> {
  return fc
    .subarray([...list], { minLength: minimum, maxLength: 4 })
    .chain((some) =>
      fc.tuple(
        ...some.map((field) =>
          fc.oneof(valueOf(field), fc.constant(null)).map((value) => [field.name, value] as const),
        ),
      ),
    )
    .map((entries) => Object.fromEntries(entries));
}

/** Generates requests to the equipment table that plain words can express. */
export const randomRequest = fc.oneof(
  fc.record(
    {
      operation: fc.constant('list' as const),
      where,
      fields: fc.uniqueArray(named(fields.filter(({ type }) => type !== 'boolean')), {
        minLength: 1,
        maxLength: 4,
      }),
      sort: fc.uniqueArray(
        fc.record({ field: named(ordered), direction: fc.constantFrom('up' as const, 'down' as const) }),
        { minLength: 1, maxLength: 3, selector: ({ field }) => field },
      ),
      limit: fc.integer({ min: 1, max: 1_000 }),
      offset: fc.integer({ min: 1, max: 100_000 }),
    },
    { requiredKeys: ['operation'] },
  ),
  fc.constantFrom('D-17', 'a b').map((value): TableRequest => ({
    operation: 'show',
    where: { field: 'equipment_id', is: 'equals', value },
  })),
  fc.record({ operation: fc.constant('count' as const), where }, { requiredKeys: ['operation'] }),
  fc.record(
    {
      operation: fc.constantFrom('sum' as const, 'average' as const),
      field: named(fields.filter(({ type }) => isNumeric(type))),
      where,
    },
    { requiredKeys: ['operation', 'field'] },
  ),
  fc.record(
    {
      operation: fc.constant('group' as const),
      by: named(ordered),
      measure: fc.constantFrom('minimum' as const, 'maximum' as const),
      field: named(fields.filter(({ type }) => isMeasurable(type))),
      where,
      direction: fc.constantFrom('up' as const, 'down' as const),
      limit: fc.integer({ min: 1, max: 1_000 }),
    },
    { requiredKeys: ['operation', 'by', 'measure', 'field'] },
  ),
  recordOf(settable, 0).map((record): TableRequest => ({ operation: 'add', records: [record] })),
  fc
    .tuple(
      recordOf(
        settable.filter(({ key }) => key === undefined),
        1,
      ),
      where,
    )
    .map(([set, condition]): TableRequest =>
      condition === undefined
        ? { operation: 'update', set, many: true }
        : { operation: 'update', where: condition, set, many: true },
    ),
  where.map((condition): TableRequest =>
    condition === undefined ? { operation: 'delete' } : { operation: 'delete', where: condition, many: true },
  ),
  fc
    .constantFrom('undo', 'fields', 'next', 'previous')
    .map((operation): TableRequest => ({ operation: operation as 'undo' })),
) as fc.Arbitrary<TableRequest>;
