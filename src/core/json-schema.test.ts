import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonSchema, schemaFence } from './json-schema.ts';
import type { Issue } from './issue.ts';

test('a schema is told from an example of the data', () => {
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
