import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkParsed } from '../../../../test/support/check-parsed.ts';
import { shapeOf } from '../../../../test/support/plan-shape.ts';
import { randomKeys, randomPlan } from '../../../../test/support/random-plan.ts';
import { anyCharacter } from '../../../testing/garbage.ts';
import type { Declares } from '../plan.ts';
import { parseSop } from './parse-sop.ts';
import { printSop } from './print-sop.ts';

const declares: Declares = (_command, key) => randomKeys.includes(key);

const piece = fc.oneof(
  fc.constantFrom('@', '@a ', '@b c ', '\n@a b ', '\n', '\r\n', '\r', ' ', '\n\n', '# ', '\n# x\n', '#'),
  fc.constantFrom(
    '"',
    "'",
    '\\',
    '"x y"',
    "'\\n'",
    '$',
    ' $x',
    ' when',
    ' not',
    ' when $x',
    ' each $l ',
    '=',
    ' to=',
  ),
  fc.constantFrom(
    ' --begin-x--',
    '\n--begin-x--\n',
    '\n--end-x--\n',
    '\n--end-y--',
    ' --begin-y--\n',
    '\ufeff',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);

/** Scripts of meaningful pieces in any order. About half of them have an error. */
const script = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
const declared = script.map((text) => `@start run ${text}`);

test('a plan that is printed and read again is the same', () => {
  fc.assert(
    fc.property(randomPlan, (plan) => {
      const { plan: again, issues } = parseSop(printSop(plan), declares);
      assert.deepEqual(issues, []);
      assert.deepEqual(shapeOf(again), shapeOf(plan));
    }),
    { numRuns: 1_500 },
  );
});

test('any script is read; places point at things; what has no error is the same when it is printed and read', () => {
  let right = 0;
  fc.assert(
    fc.property(fc.oneof(script, declared, declared), fc.boolean(), (text, hasNames) => {
      const { issues } = checkParsed(text, hasNames ? declares : undefined);
      if (!issues.some(({ level }) => level === 'error')) right++;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(right > 300, `only ${right} had no error`);
});

test('any text at all is read', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
      checkParsed(text, declares);
      checkParsed(`@a b ${text}`, declares);
    }),
    { numRuns: 1_000 },
  );
});

test('names change nothing for commands that take none', () => {
  fc.assert(
    fc.property(declared, (text) => {
      assert.deepEqual(
        parseSop(text, () => false),
        parseSop(text),
      );
    }),
  );
});
