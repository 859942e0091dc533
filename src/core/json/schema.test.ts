import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from '../issue.ts';
import { isJsonSchema, retypeSchema, schemaFence } from './schema.ts';

test('a schema is distinguished from an example of the data', () => {
  const schemas = [
    { type: 'object' },
    { type: ['string', 'null'] },
    { properties: { a: { type: 'string' } } },
  ];
  for (const schema of [...schemas, { anyOf: [] }, { $ref: '#/a' }]) assert.equal(isJsonSchema(schema), true);
  const others = [{}, { type: 'invoice' }, { type: [] }, { properties: { a: 'text' } }, { file: 'string' }];
  for (const other of [...others, [], null, 'object', 5]) assert.equal(isJsonSchema(other), false);
});

test('the first json fence of a text is its schema; anything else in it is a finding on its line', () => {
  const read = (content: string): readonly unknown[] => {
    const issues: Issue[] = [];
    const schema = schemaFence(
      { text: `Intro\n\n\`\`\`json\n${content}\n\`\`\`\n`, line: 10 },
      'Input',
      issues,
    );
    return [schema, ...issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`)];
  };
  assert.deepEqual(read('{"type": "object", "__proto__": 1}'), [{ type: 'object' }]);
  assert.deepEqual(read('{"type": '), [undefined, 'schema.json:12']);
  assert.deepEqual(read('[1]'), [undefined, 'schema.type:12']);
  assert.deepEqual(read('{"file": "a.txt"}'), [undefined, 'schema.example:12']);
});

test('without a fence there is no schema and no finding', () => {
  const issues: Issue[] = [];
  assert.equal(schemaFence(undefined, 'Input', issues), undefined);
  assert.equal(schemaFence({ text: 'text', line: 1 }, 'Input', issues), undefined);
  assert.deepEqual(issues, []);
});

test('limits become numbers', () => {
  const limits = {
    minimum: '1',
    maximum: '-2.5',
    minLength: '0',
    maxItems: '1e3',
    minContains: '2',
    multipleOf: '0.5',
    exclusiveMinimum: '-0',
  };
  assert.deepEqual(retypeSchema({ type: 'number', ...limits }), {
    type: 'number',
    minimum: 1,
    maximum: -2.5,
    minLength: 0,
    maxItems: 1000,
    minContains: 2,
    multipleOf: 0.5,
    exclusiveMinimum: 0,
  });
  assert.deepEqual(retypeSchema({ minimum: 'many', maximum: '', minLength: 'Infinity' }), {
    minimum: 'many',
    maximum: '',
    minLength: 'Infinity',
  });
});

test('switches and whole schemas become booleans', () => {
  const schema = {
    additionalProperties: 'false',
    uniqueItems: 'True',
    readOnly: 'yes',
    properties: { any: 'true', none: 'false' },
    items: 'true',
  };
  assert.deepEqual(retypeSchema(schema), {
    additionalProperties: false,
    uniqueItems: true,
    readOnly: 'yes',
    properties: { any: true, none: false },
    items: true,
  });
});

test('data becomes what its type says, and stays text when that may be', () => {
  assert.deepEqual(retypeSchema({ type: 'integer', default: '3', enum: ['1', '2'], examples: ['5'] }), {
    type: 'integer',
    default: 3,
    enum: [1, 2],
    examples: [5],
  });
  assert.deepEqual(retypeSchema({ type: 'boolean', default: 'true', const: 'false' }), {
    type: 'boolean',
    default: true,
    const: false,
  });
  assert.deepEqual(retypeSchema({ type: 'string', default: '3', enum: ['1', 'true'] }), {
    type: 'string',
    default: '3',
    enum: ['1', 'true'],
  });
  assert.deepEqual(retypeSchema({ type: ['string', 'number'], default: '3' }), {
    type: ['string', 'number'],
    default: '3',
  });
  assert.deepEqual(retypeSchema({ type: ['number', null], default: '3' }), {
    type: ['number', 'null'],
    default: 3,
  });
  assert.deepEqual(retypeSchema({ enum: ['1'], default: '2' }), { enum: ['1'], default: '2' });
});

test('properties named like words of the schema language are only names', () => {
  const properties = {
    minimum: { type: 'string', default: '1' },
    default: { type: 'integer', default: '2' },
    properties: { type: 'integer', minimum: '3' },
  };
  assert.deepEqual(retypeSchema({ type: 'object', properties }), {
    type: 'object',
    properties: {
      minimum: { type: 'string', default: '1' },
      default: { type: 'integer', default: 2 },
      properties: { type: 'integer', minimum: 3 },
    },
  });
});

test('schemas inside schemas are reached, data inside data is not', () => {
  assert.deepEqual(
    retypeSchema({
      anyOf: [{ items: { minLength: '1' } }],
      $defs: { a: { maximum: '2' } },
      default: { minimum: '1' },
      required: ['true'],
      description: '5',
    }),
    {
      anyOf: [{ items: { minLength: 1 } }],
      $defs: { a: { maximum: 2 } },
      default: { minimum: '1' },
      required: ['true'],
      description: '5',
    },
  );
});
