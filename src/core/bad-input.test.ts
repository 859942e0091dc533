import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { badInput } from './bad-input.ts';

const schema = z.strictObject({
  question: z.string(),
  count: z.int().min(1).optional(),
  tags: z.array(z.string()).optional(),
});

function said(value: unknown): { readonly message: string; readonly hint: string | undefined } {
  const { message, hint } = badInput('the input of "x"', schema.safeParse(value).error?.issues ?? []);
  return { message, hint };
}

test('what is missing and what is wrong is said in plain words, with its place', () => {
  assert.deepEqual(said({ count: 'many', tags: ['a', 7] }), {
    message:
      'The input of "x" does not fit: question: it is missing, and must be text; ' +
      'count: it must be a number, not text; tags.1: it must be text, not a number.',
    hint: 'Give question. Correct count, tags.1.',
  });
});

test('a value that is wrong as a whole has no members to name', () => {
  assert.deepEqual(said(7), {
    message: 'The input of "x" does not fit: it must be an object, not a number.',
    hint: 'Correct it.',
  });
});

test('any other fault stays in the words of the schema', () => {
  const { message, hint } = said({ question: 'a', count: 0 });
  assert.match(message, /does not fit: count: .*1\.$/);
  assert.equal(hint, 'Correct count.');
});

test('a hundred thousand faults, and one that lists as many values, are said in a few words', () => {
  const values = Array.from({ length: 100_000 }, (_, index) => `value-${index}`);
  const many = z.object({ one: z.enum(values), all: z.array(z.number()) });
  const found = many.safeParse({ one: 'x', all: values }).error?.issues ?? [];
  const { message, hint = '' } = badInput('the input of "x"', found);
  assert.match(message, /all\.0: it must be a number, not text; .*; and 99951 more\.$/);
  assert.ok(message.length + hint.length < 10_000, String(message.length));
});
