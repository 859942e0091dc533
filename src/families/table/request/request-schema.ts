import type { Json, JsonObject } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import type { Field, Table } from '../table.ts';
import { comparisons, measures, operations } from './request-words.ts';

/** The JSON Schema of a request for a model: one object, conditions written out to a depth of three, no references. */
export function requestSchema(table: Table): JsonObject {
  const names = table.fields.map(({ name }) => name);
  return objectOf(
    {
      operation: { type: 'string', enum: operations },
      where: conditionSchema(names, 3),
      fields: { type: 'array', items: { type: 'string', enum: names }, description: 'The fields to show.' },
      sort: {
        type: 'array',
        items: objectOf({ field: { type: 'string', enum: names }, direction }, ['field', 'direction']),
      },
      limit: { type: 'integer', description: 'At most 1000.' },
      offset: { type: 'integer' },
      field: { type: 'string', enum: names, description: 'What is measured.' },
      by: { type: 'string', enum: names, description: 'What is grouped by.' },
      measure: { type: 'string', enum: measures, description: 'For "group".' },
      direction,
      records: { type: 'array', items: recordSchema(table.fields), description: 'For "add".' },
      set: { ...recordSchema(table.fields), description: 'For "update"; null takes a value away.' },
      many: { type: 'boolean', description: 'Whether all records that fit are meant, and not one.' },
      file: { type: 'string', description: 'For "import" and "export".' },
      format: { type: 'string', enum: ['csv', 'json'] },
      partial: {
        type: 'boolean',
        description:
          'Whether records that break a rule are left out; else one of them keeps all from being changed.',
      },
    },
    ['operation'],
  );
}

const direction: JsonObject = { type: 'string', enum: ['up', 'down'] };

/** The JSON Schema of what a table is called with: words, or the members of a request. */
export const inputSchema: JsonObject = objectOf(
  {
    prompt: {
      type: 'string',
      description: 'What is wanted, in words. Else "operation" and what belongs to it.',
    },
    operation: { type: 'string', enum: operations },
    where: {
      type: 'object',
      description: 'Which records: {"field", "is", "value"}, {"all": […]}, {"any": […]} or {"not": …}.',
    },
    fields: { type: 'array', items: { type: 'string' } },
    sort: {
      type: 'array',
      items: objectOf({ field: { type: 'string' }, direction }, ['field']),
    },
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
    offset: { type: 'integer', minimum: 0 },
    field: { type: 'string' },
    by: { type: 'string' },
    measure: { type: 'string', enum: measures },
    direction,
    records: { type: 'array', items: { type: 'object' } },
    set: { type: 'object' },
    many: { type: 'boolean' },
    file: { type: 'string' },
    format: { type: 'string', enum: ['csv', 'json'] },
    partial: { type: 'boolean' },
    confirm: {
      type: 'boolean',
      description: 'False: a change is made without a question, where the host calls.',
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
    description: 'Either "field", "is" and "value", or one of the others alone.',
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
  date: { type: 'string', description: 'As 2026-11-16.' },
  datetime: { type: 'string', description: 'As 2026-11-16T14:30:00Z, or without Z in the local zone.' },
  time: { type: 'string', description: 'As 14:30:00.' },
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
