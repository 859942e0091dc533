import type { Json, JsonObject } from '../../../core/index.ts';
import { comparisons } from '../../../engines/conditions/conditions.ts';
import type { FieldType } from '../descriptor/definition.ts';
import type { Field, Table } from '../table.ts';
import { measures, operations } from './request.ts';

/**
 * Returns a request's JSON Schema for a model: one object without references, with conditions up to three
 * levels deep.
 */
export function requestSchema(table: Table): JsonObject {
  const names = table.fields.map(({ name }) => name);
  const record = recordSchema(table.fields);
  return objectOf(
    {
      operation: { type: 'string', enum: operations },
      where: conditionSchema(names, 3),
      ...membersOf({ type: 'string', enum: names }),
      records: { type: 'array', items: record, description: 'For "add".' },
      set: { ...record, description: 'For "update"; null removes a value.' },
    },
    ['operation'],
  );
}

/** Returns the schemas of the properties that only depend on how a field is named. */
function membersOf(
  field: JsonObject,
  sortRequired: readonly string[] = ['field', 'direction'],
): Readonly<Record<string, JsonObject>> {
  const direction: JsonObject = { type: 'string', enum: ['up', 'down'] };
  return {
    fields: { type: 'array', items: field, description: 'The fields to show.' },
    sort: { type: 'array', items: objectOf({ field, direction }, sortRequired) },
    limit: { type: 'integer', description: 'At most 1000.' },
    offset: { type: 'integer' },
    last: { type: 'boolean', description: 'Whether limit and offset count from the end.' },
    field: { ...field, description: 'The field to measure.' },
    by: { ...field, description: 'The field to group by.' },
    measure: { type: 'string', enum: measures, description: 'For "group".' },
    direction,
    many: {
      type: 'boolean',
      description: 'Whether the request applies to all matching records, not just one.',
    },
    file: { type: 'string', description: 'For "import" and "export".' },
    format: { type: 'string', enum: ['csv', 'json'] },
    partial: {
      type: 'boolean',
      description:
        'Whether records that break a rule are skipped; otherwise one of them prevents the whole change.',
    },
  };
}

const inputMembers = membersOf({ type: 'string' }, ['field']);

/** The JSON Schema of a table's input: text, or the properties of a typed request. */
export const inputSchema: JsonObject = objectOf(
  {
    prompt: {
      type: 'string',
      description: 'The request as text. Otherwise, use "operation" and its members.',
    },
    operation: { type: 'string', enum: operations },
    where: {
      type: 'object',
      description: 'Which records: {"field", "is", "value"}, {"all": […]}, {"any": […]} or {"not": …}.',
    },
    ...inputMembers,
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
    offset: { type: 'integer', minimum: 0 },
    records: { type: 'array', items: { type: 'object' } },
    set: { type: 'object' },
    confirm: {
      type: 'boolean',
      description: 'If false, a change is made without asking, provided that the host makes the call.',
    },
  },
  [],
);

function conditionSchema(names: readonly string[], depth: number): JsonObject {
  const leaf = {
    field: { type: 'string', enum: names },
    is: { type: 'string', enum: comparisons },
    value: anyValue,
  };
  if (depth === 1) return objectOf(leaf, ['field', 'is']);
  const inner = conditionSchema(names, depth - 1);
  const lists = { all: { type: 'array', items: inner }, any: { type: 'array', items: inner } };
  return {
    ...objectOf(depth === 3 ? { ...leaf, ...lists, not: inner } : { ...leaf, ...lists }, []),
    description: 'Either "field", "is" and "value", or exactly one of the others.',
  };
}

const scalar: readonly JsonObject[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];
const anyValue: JsonObject = {
  anyOf: [...scalar, { type: 'array', items: { anyOf: scalar } }],
  description: 'A pair for "between", a list for "in" and "not-in", nothing for "empty" and "not-empty".',
};

function recordSchema(fields: readonly Field[]): JsonObject {
  return objectOf(Object.fromEntries(fields.map((field) => [field.name, valueSchema(field)])), []);
}

function valueSchema({ type, values, description }: Field): JsonObject {
  const isListed = values !== undefined && (type === 'string' || type === 'text');
  const typed: JsonObject = isListed
    ? { type: 'string', enum: values }
    : (typeSchemas[type] ?? { type: 'string' });
  return { anyOf: [typed, { type: 'null' }], ...(description === '' ? {} : { description }) };
}

const typeSchemas: Readonly<Partial<Record<FieldType, JsonObject>>> = {
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  array: { type: 'array', items: { type: 'string' } },
  date: { type: 'string', description: 'Such as 2026-11-16.' },
  datetime: {
    type: 'string',
    description: 'Such as 2026-11-16T14:30:00Z, or without Z for the local time zone.',
  },
  time: { type: 'string', description: 'Such as 14:30:00.' },
  json: { type: 'string', description: 'JSON.' },
};

function objectOf(properties: Readonly<Record<string, Json>>, required: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
