import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineSkill, isSkillName, schemaOf } from './define-skill.ts';
import { isAgentError } from './error.ts';

const sound = { name: 'demo', description: 'Does it.', instructions: 'Do it.' };

function refused(change: object): string {
  try {
    defineSkill({ ...sound, ...change });
  } catch (thrown) {
    assert.ok(isAgentError(thrown) && thrown.code === 'skill.invalid' && thrown.hint !== undefined);
    return thrown.message;
  }
  throw new Error(`accepted: ${JSON.stringify(change)}`);
}

test('names that are refused', () => {
  const names = [
    '',
    'Ab',
    'a_b',
    '-a',
    'a-',
    'a--b',
    'a b',
    'a'.repeat(65),
    'a.b',
    'a/b',
    'Я',
    'Привет',
    '\u0301',
    '🎉',
    'a\n',
    ' a',
    'नमस्ते',
  ];
  for (const name of [...names, undefined, null, 7, {}]) {
    assert.match(refused({ name }), /the name is not valid/);
  }
});

test('names that are accepted', () => {
  for (const name of [
    'a',
    '7z',
    'x-1',
    'a'.repeat(64),
    '数据-分析',
    'привет-мир',
    'e\u0301clair',
    'éclair',
    '𠮷',
  ]) {
    assert.equal(isSkillName(name), true, name);
    assert.equal(defineSkill({ ...sound, name }).name, name);
  }
});

test('description, compatibility, metadata and body have their limits', () => {
  for (const description of ['', '  ', 'x'.repeat(1025), undefined, 5])
    assert.match(refused({ description }), /description/);
  for (const compatibility of ['x'.repeat(501), '', 5])
    assert.match(refused({ compatibility }), /compatibility/);
  assert.match(refused({ metadata: { version: 1 } }), /metadata "version" must be a string/);
  assert.match(refused({ metadata: ['a'] }), /metadata must be an object/);
  for (const instructions of ['', ' \n', undefined, 5])
    assert.match(refused({ instructions }), /neither instructions nor a run/);
  for (const maxTicks of [0, -1, 1.5, Number.NaN, '3']) assert.match(refused({ maxTicks }), /maxTicks/);
});

test('exactly the limit is allowed, counted in characters', () => {
  defineSkill({
    ...sound,
    description: '😀'.repeat(1024),
    compatibility: 'x'.repeat(500),
    metadata: { version: '1' },
    maxTicks: 1,
  });
});

test('instructions or a function, not both and not something else', () => {
  const run = (): { status: 'done'; text: string } => ({ status: 'done', text: '' });
  assert.equal(defineSkill({ name: 'demo', description: 'x', run }).run, run);
  assert.match(refused({ run }), /both/);
  assert.match(refused({ instructions: undefined, run: 'text' }), /not a function/);
});

test('what is not an object is refused without a crash', () => {
  for (const spec of [undefined, null, 'text', []]) {
    assert.throws(() => defineSkill(spec as never), {
      code: 'skill.invalid',
      message: 'The skill: it is not an object.',
    });
  }
});

test('a defined skill holds what was given and is marked', () => {
  assert.deepEqual(defineSkill({ ...sound, tags: ['a'] }), { ...sound, tags: ['a'], kind: 'skill' });
});

test('the JSON Schema of a zod schema is that of its input, made when needed', () => {
  const schema = z.object({
    file: z.string(),
    count: z.number().int().default(1),
    when: z.date().optional(),
  });
  const json = schemaOf(schema);
  assert.equal(json?.['type'], 'object');
  assert.deepEqual(json['required'], ['file']);
  assert.deepEqual(
    schemaOf(() => schema),
    json,
  );
  assert.equal(schemaOf(undefined), undefined);
});
