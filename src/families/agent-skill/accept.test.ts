import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { defineSkill } from '../../core/define-skill.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { accept } from './accept.ts';
import { adopt } from './parse.ts';
import type { AgentSkillDefinition } from './parse.ts';

const issue = {
  type: 'object',
  properties: { number: { type: 'integer' }, urgent: { type: 'boolean', default: false } },
  required: ['number'],
} as const;
const note = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

function skillWith(
  schema: JsonObject | undefined,
  ...argumentNames: readonly string[]
): AgentSkillDefinition {
  return {
    name: 'x',
    body: () => '',
    bodyLine: 1,
    hasFolder: false,
    argumentNames,
    ...(schema === undefined ? {} : { input: () => schema }),
  };
}

describe('the input of a skill', () => {
  test('without a schema is taken as it is', () => {
    for (const input of ['a b', '', null, 3, { a: 1 }, ['a']])
      assert.equal(accept(skillWith(undefined), input), input);
  });

  test('gets the defaults of the schema in the file', () => {
    assert.deepEqual(accept(skillWith(issue), { number: 7 }), { number: 7, urgent: false });
  });

  for (const [what, definition, given, taken] of [
    [
      'words by the declared order',
      skillWith(issue, 'number', 'urgent'),
      '12 true',
      { number: 12, urgent: true },
    ],
    ['fewer words than names', skillWith(issue, 'number', 'urgent'), '12', { number: 12, urgent: false }],
    ['a single declared name', skillWith(issue, 'number'), ' 12 ', { number: 12, urgent: false }],
    ['a whole text for a single text', skillWith(note), 'say "hello" to all', { text: 'say "hello" to all' }],
    ['one quoted word for a single text', skillWith(note), '"say hello"', { text: 'say hello' }],
    ['JSON in a text', skillWith(issue, 'number'), ' {"number": 3}', { number: 3, urgent: false }],
  ] as const) {
    test(`is made of ${what}`, () => {
      assert.deepEqual(accept(definition, given), taken);
    });
  }

  test('may be left out where nothing is required', () => {
    const none = skillWith({ type: 'object', properties: { a: { type: 'string', default: 'b' } } });
    for (const given of [null, '', '  ']) assert.deepEqual(accept(none, given), { a: 'b' });
  });

  for (const [what, definition, given] of [
    ['more words than names', skillWith(issue, 'number', 'urgent'), '1 true more'],
    ['a text for several required members', skillWith({ ...note, required: ['text', 'to'] }), 'hello'],
    ['nothing where something is required', skillWith(issue), null],
    ['a word that is no number', skillWith(issue, 'number', 'urgent'), 'twelve true'],
    ['a list for an object', skillWith(issue, 'number'), ['12']],
    ['another kind than the schema has', skillWith({ type: 'number' }), 'hello'],
  ] as readonly (readonly [string, AgentSkillDefinition, Json])[]) {
    test(`is refused: ${what}`, () => {
      assert.throws(() => accept(definition, given), { code: 'usage.bad-input' });
    });
  }
});

test('a skill defined in code takes what its own schema takes, with its conversions', () => {
  let schemaCount = 0;
  const definition = adopt(
    defineSkill({
      name: 'triage',
      description: 'Looks into an issue.',
      instructions: 'Look into $number.',
      argumentNames: ['number'],
      input: () => {
        schemaCount += 1;
        return z.object({
          number: z.number().transform((value) => value * 10),
          tag: z.string().default('bug'),
        });
      },
    }),
  );
  assert.ok(definition !== undefined);
  assert.equal(schemaCount, 0);
  assert.deepEqual(accept(definition, '4'), { number: 40, tag: 'bug' });
  assert.deepEqual(accept(definition, { number: 4 }), { number: 40, tag: 'bug' });
  assert.throws(
    () => accept(definition, 'four'),
    /Invalid input for "triage": number must be a number, not a string/,
  );
});
