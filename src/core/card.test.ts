import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOfText, nowhere } from './bundle.ts';
import { cardFields, fitDescription, longestDescription, readCard } from './card.ts';
import { optional } from './optional.ts';
import { fieldsOf } from './fields.ts';
import type { Issue } from './issue.ts';
import type { SkillCard } from './skill.ts';

function read(head: string, description = 'Does it.'): { card: SkillCard; issues: readonly string[] } {
  const bundle = bundleOfText(`---\n${head}\n---\n`, nowhere);
  const issues: Issue[] = [];
  const card = readCard(fieldsOf(bundle.head, issues), description, bundle, issues);
  return { card, issues: issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`) };
}

test('a card without fields holds its description and nothing else', () => {
  assert.deepEqual(read('name: x'), { card: { description: 'Does it.' }, issues: [] });
});

test('the fields of a card', () => {
  const head = [
    'when_to_use: " often "',
    'arguments: file mode',
    'argument-hint: <file>',
    'tags: [a, b]',
    'paths: src/{a,b}/**, "my dir/*"',
    'metadata: {author: me, nested: {a: 1}}',
    'disable-model-invocation: yes',
    'user-invocable: OFF',
  ].join('\n');
  assert.deepEqual(read(head), {
    card: {
      description: 'Does it.',
      whenToUse: 'often',
      argumentNames: ['file', 'mode'],
      argumentHint: '<file>',
      tags: ['a', 'b'],
      paths: ['src/{a,b}/**', 'my dir/*'],
      metadata: { author: 'me', nested: { a: '1' } },
      modelInvocable: false,
      userInvocable: false,
    },
    issues: [],
  });
});

test('flags at their defaults are absent, and odd ones are reported and count as the default', () => {
  assert.deepEqual(read('disable-model-invocation: no\nuser-invocable: true'), {
    card: { description: 'Does it.' },
    issues: [],
  });
  assert.deepEqual(read('disable-model-invocation: sometimes\nuser-invocable: []'), {
    card: { description: 'Does it.' },
    issues: ['field.type:2', 'field.type:3'],
  });
});

test('metadata may be a JSON string; requirements come from it', () => {
  const { card, issues } = read(
    `metadata: '{"openclaw": {"requires": {"bins": ["git"]}, "__proto__": {"x": 1}}}'`,
  );
  assert.deepEqual(card.metadata, { openclaw: { requires: { bins: ['git'] } } });
  assert.deepEqual(card.requires, { bins: ['git'] });
  assert.deepEqual(issues, []);
});

test('metadata that is text, or a list, is left out with a finding', () => {
  for (const metadata of ['some text', '"{broken"', '[a]', "'[1]'"])
    assert.deepEqual(read(`metadata: ${metadata}`).issues, ['field.type:2'], metadata);
});

test('an argument hint in brackets is a hint, not a list', () => {
  assert.equal(read('argument-hint: [file]').card.argumentHint, '[file]');
  assert.equal(read('argument-hint: [a, b]').card.argumentHint, '[a, b]');
  assert.equal(read('argument-hint: [file] [mode]').card.argumentHint, '[file] [mode]');
  assert.deepEqual(read('argument-hint: [{a: b}]'), {
    card: { description: 'Does it.' },
    issues: ['field.type:2'],
  });
});

test('schemas are typed again', () => {
  const head =
    'input:\n  type: object\n  properties:\n    n: {type: integer, minimum: 1, default: 2}\n  additionalProperties: false\noutput: {type: string}';
  assert.deepEqual(read(head).card, {
    description: 'Does it.',
    input: {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, default: 2 } },
      additionalProperties: false,
    },
    output: { type: 'string' },
  });
});

test('what is no schema is left out with a finding on its line', () => {
  assert.deepEqual(read('name: x\ninput: {file: string}\noutput: text'), {
    card: { description: 'Does it.' },
    issues: ['field.type:3', 'field.type:4'],
  });
});

test('hidden characters are reported where they stand', () => {
  assert.deepEqual(read('name: x\ndescription: y', 'a\u200bb').issues, ['description.hidden:3']);
  assert.deepEqual(read('name: x\nwhen-to-use: "a\\u202Eb"').issues, ['description.hidden:3']);
  assert.deepEqual(read('name: x', 'All good 👩‍💻').issues, []);
});

test('a description is cut at 1,024 characters, counted as a reader counts them', () => {
  const issues: Issue[] = [];
  assert.equal(longestDescription, 1024);
  assert.equal(fitDescription('😀'.repeat(1024), issues, 3), '😀'.repeat(1024));
  assert.equal(issues.length, 0);
  assert.equal(fitDescription('😀'.repeat(1025), issues, 3), '😀'.repeat(1024));
  assert.deepEqual([issues[0]?.code, issues[0]?.line, issues[0]?.standard], ['description.long', 3, true]);
  fitDescription('x'.repeat(2000), issues);
  assert.ok(issues[1] !== undefined && !('line' in issues[1]));
});

test('absent members stay absent', () => {
  assert.deepEqual(
    { ...optional('a', undefined), ...optional('b', false), ...optional('c', '') },
    { b: false, c: '' },
  );
});

test('the fields of a card are the ones it reads', () => {
  assert.ok(['name', 'description', 'when-to-use', 'metadata'].every((field) => cardFields.includes(field)));
});
