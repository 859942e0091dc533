import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomRequest } from '../../../../test/support/random-requests.ts';
import { clock, equipment } from '../../../../test/support/word-tables.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { fitSchema } from '../../../core/json/validate.ts';
import type { Condition } from '../../../engines/conditions/conditions.ts';
import { fitRequest } from './fit-request.ts';
import { inputSchema, requestSchema } from './request-schema.ts';
import type { TableRequest } from './request.ts';
import fc from 'fast-check';

const schema = requestSchema(equipment);

test('the schema for a model is one object without references, with the names of the fields', () => {
  const text = JSON.stringify(schema);
  assert.equal(schema['type'], 'object');
  assert.deepEqual(schema['required'], ['operation']);
  for (const keyword of ['$ref', '$defs', 'oneOf', 'allOf'])
    assert.ok(!text.includes(`"${keyword}"`), keyword);
  assert.ok(text.length < 30_000, `${text.length} characters`);
  eachSchema(schema, (part) => assert.ok('type' in part || 'anyOf' in part, JSON.stringify(part)));
});

/** Visits every schema within a schema. */
function eachSchema(part: JsonObject, look: (part: JsonObject) => void): void {
  look(part);
  const {
    properties = {},
    items,
    anyOf = [],
  } = part as { properties?: JsonObject; items?: Json; anyOf?: Json };
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...(anyOf as Json[])];
  for (const one of inner) eachSchema(one as JsonObject, look);
}

test('requests that are not nested too deeply keep to both schemas', () => {
  fc.assert(
    fc.property(randomRequest, (request) => {
      const given = JSON.parse(JSON.stringify(request)) as JsonObject;
      assert.deepEqual(fitSchema('the input', inputSchema, given), given);
      if (depthOf((request as { where?: Condition }).where) > 2 || hasJson(request)) return;
      assert.deepEqual(fitRequest(equipment, fitSchema('the request', schema, given), clock), given);
    }),
    { numRuns: 150 },
  );
});

/** Returns the nesting depth of the comparisons. A model cannot nest `not`. */
function depthOf(condition: Condition | undefined, isOuter = true): number {
  if (condition === undefined || 'field' in condition) return 0;
  if ('not' in condition) return (isOuter ? 1 : 9) + depthOf(condition.not, false);
  const parts = 'all' in condition ? condition.all : condition.any;
  return 1 + Math.max(...parts.map((part) => depthOf(part, false)));
}

/** Whether a request contains JSON, which a model receives as text. */
function hasJson(request: TableRequest): boolean {
  const records = 'records' in request ? request.records : 'set' in request ? [request.set] : [];
  return records.some((record) => Object.hasOwn(record, 'extra') || Object.hasOwn(record, 'serial_count'));
}

test('a model can say nothing that is not known', () => {
  for (const given of [
    { operation: 'drop' },
    { operation: 'list', where: { field: 'colour', is: 'equals', value: 1 } },
    { operation: 'list', sql: 'x' },
  ]) {
    assert.throws(() => fitSchema('the request', schema, given));
  }
});
