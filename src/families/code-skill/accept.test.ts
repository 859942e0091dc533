import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAgentError } from '../../core/error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { accept, isUnread } from './accept.ts';

const given = (input: JsonObject | undefined, value: Json): Json =>
  accept({ name: 'demo', description: '', ...(input === undefined ? {} : { input }) }, value);
const object = (
  properties: JsonObject,
  required: readonly string[] = [],
  more: JsonObject = {},
): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const text = { type: 'string' };
const count = { type: 'integer' };
const title = object({ title: text, words: { ...count, default: 3 } }, ['title']);
const booking = object({ place: text, guests: count }, ['place', 'guests']);

describe('JSON', () => {
  test('that fits is taken, with defaults filled in', () => {
    assert.deepEqual(given(title, { title: 'a' }), { title: 'a', words: 3 });
    assert.deepEqual(given(title, { title: 'a', words: 1 }), { title: 'a', words: 1 });
  });

  test('that does not fit is refused, with every fault and the name of the skill', () => {
    assert.throws(
      () => given(booking, { place: 7 }),
      (thrown: unknown) => {
        assert.ok(isAgentError(thrown) && thrown.code === 'usage.bad-input');
        assert.match(thrown.message, /"demo": place .*; guests is required/);
        return true;
      },
    );
  });

  test('is given as it is where nothing is said of the input', () => {
    for (const value of ['words', '', null, 7, [1], { input: 'x' }])
      assert.deepEqual(given(undefined, value), value);
  });

  test('of a schema that cannot be read is a fault of the skill', () => {
    assert.throws(() => given({ $ref: 'http://nowhere' }, {}), { code: 'skill.invalid' });
  });
});

describe('plain text', () => {
  test('is the only text that must be given', () => {
    assert.deepEqual(given(title, 'Hello there'), { title: 'Hello there', words: 3 });
  });

  test('is the only member that there is', () => {
    assert.deepEqual(given(object({ note: text }), 'x'), { note: 'x' });
  });

  test('that breaks a rule of that member is refused', () => {
    const short = object({ title: { ...text, maxLength: 3 } }, ['title']);
    assert.throws(() => given(short, 'Hello'), { code: 'usage.bad-input' });
  });

  test('that spells JSON which fits is that JSON', () => {
    assert.deepEqual(given(booking, '{"place": "Rome", "guests": 2}'), { place: 'Rome', guests: 2 });
    assert.deepEqual(given(title, '{"title": "a", "words": 1}'), { title: 'a', words: 1 });
    assert.deepEqual(given(count, ' 7 '), 7);
    assert.deepEqual(given({ type: 'array' }, '[1]'), [1]);
  });

  test('that spells JSON about something else is text', () => {
    assert.deepEqual(given(object({ note: text }), '{"a": 1}'), { note: '{"a": 1}' });
    assert.deepEqual(given(title, '{"a": 1}'), { title: '{"a": 1}', words: 3 });
  });

  test('stays text for a skill that takes text', () => {
    assert.equal(given(text, '7'), '7');
    assert.equal(given({ type: ['string', 'null'] }, 'null'), 'null');
    assert.equal(isUnread(text, '7'), false);
  });

  for (const [what, schema] of [
    ['several members', booking],
    ['two texts', object({ from: text, to: text }, ['from', 'to'])],
    ['a list', { type: 'array', items: text }],
    ['a number', count],
  ] as const) {
    test(`stays as it is for a model to read where ${what} are wanted`, () => {
      assert.equal(given(schema, 'four at eight'), 'four at eight');
      assert.equal(isUnread(schema, 'four at eight'), true);
    });
  }
});

describe('what callers make of plain text', () => {
  test('is undone where the skill has no such argument', () => {
    assert.deepEqual(given(title, { input: 'Hello' }), { title: 'Hello', words: 3 });
    assert.equal(given(booking, { input: 'four at eight' }), 'four at eight');
    assert.deepEqual(given(object({ a: text, b: text }), { input: '{"a": "1"}' }), { a: '1' });
  });

  test('stays where it has one, or takes any', () => {
    assert.deepEqual(given(object({ input: text }), { input: 'x' }), { input: 'x' });
    assert.deepEqual(given({ type: 'object' }, { input: 'x' }), { input: 'x' });
    const open = object({ a: text }, [], { additionalProperties: text });
    assert.deepEqual(given(open, { input: 'x' }), { input: 'x' });
  });
});

describe('an empty text', () => {
  test('is an object without members where one is wanted', () => {
    assert.deepEqual(given(object({ note: text }), null), {});
    assert.deepEqual(given(object({ words: { ...count, default: 3 } }), ''), { words: 3 });
  });

  test('is refused where something must be given', () => {
    for (const value of [null, '', {}])
      assert.throws(() => given(booking, value), { code: 'usage.bad-input' });
    assert.throws(() => given(text, null), { code: 'usage.bad-input' });
  });

  test('is null or an empty text where those are taken', () => {
    assert.equal(given({ type: ['object', 'null'] }, null), null);
    assert.equal(given(text, ''), '');
  });
});
