import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCondition, randomRequest } from '../../../../test/support/random-requests.ts';
import { sayCondition, sayRequest } from '../../../../test/support/say-request.ts';
import { clock, equipment } from '../../../../test/support/word-tables.ts';
import { fitRequest } from '../request/fit-request.ts';
import { isWrite } from '../request/request.ts';
import { readAssignments } from './assignments.ts';
import { readCondition } from './conditions.ts';
import { understand } from './understand.ts';

/** Returns a value without undefined members. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

test('a request that is said in plain words is understood as itself', () => {
  fc.assert(
    fc.property(randomRequest, fc.nat(11), (request, choice) => {
      const words = sayRequest(request, choice);
      assert.deepEqual(
        understand(equipment, words, clock),
        { kind: 'request', request: plain(request) },
        words,
      );
    }),
    { numRuns: 400 },
  );
});

test('a condition that is said in plain words is read as itself', () => {
  fc.assert(
    fc.property(randomCondition, fc.nat(11), (condition, choice) => {
      const words = sayCondition(condition, choice);
      assert.deepEqual(readCondition(equipment, words, clock), { condition }, words);
    }),
    { numRuns: 300 },
  );
});

test('a typed request that fits is itself', () => {
  fc.assert(
    fc.property(randomRequest, (request) => {
      const given = plain(request);
      assert.deepEqual(fitRequest(equipment, given as never, clock), given);
    }),
    { numRuns: 200 },
  );
});

const pieces = [
  ...[
    'list',
    'show',
    'count',
    'sum',
    'of',
    'where',
    'with',
    'sort by',
    'first',
    '5',
    'D-17',
    'to',
    'for',
    'is',
    'not',
    'and',
  ],
  ...[
    'or',
    '(',
    ')',
    '=',
    '<',
    ',',
    ';',
    ':',
    '"x"',
    '"',
    "'",
    'name',
    'status',
    'faulty',
    'in repair',
    'price',
    'due date',
  ],
  ...[
    'today',
    'in',
    '2026',
    'last',
    '7',
    'days',
    'between',
    'all',
    'equipment',
    'the',
    'active',
    'size',
    'by',
    'null',
    'null,',
  ],
  ...[
    'tags',
    '[',
    ']',
    'extra',
    '{"a":1}',
    'page',
    'limit',
    'from',
    'neither',
    'nor',
    '1,250',
    '-5',
    'x.csv',
    'as json',
    'no',
  ],
];
const writing = [
  'add',
  'create',
  'new',
  'insert',
  'register',
  'set',
  'update',
  'change',
  'mark',
  'clear',
  'delete',
  'remove',
  'undo',
  'import',
];
const hasWriteVerb =
  /\b(?:add|create|new|insert|register|set|update|change|modify|edit|mark|clear|unset|empty|delete|remove|drop|erase|import|load|undo|revert)\b/i;

test('a soup of words is never thrown out, never written without a verb, and what it asks for always fits', () => {
  const soup = fc
    .array(fc.constantFrom(...pieces, ...writing), { maxLength: 14 })
    .map((words) => words.join(' '));
  fc.assert(
    fc.property(
      fc.oneof(
        soup,
        fc.string({ unit: 'binary' }),
        fc.tuple(soup, fc.string()).map((two) => two.join('')),
      ),
      (words) => {
        const understood = understand(equipment, words, clock);
        readCondition(equipment, words, clock);
        readAssignments(equipment, words, clock);
        if (understood.kind === 'fault' || understood.kind === 'question')
          assert.ok(understood.at >= 0 && understood.at <= words.length, words);
        if (understood.kind !== 'request') return;
        assert.ok(!isWrite(understood.request) || hasWriteVerb.test(words), words);
        assert.deepEqual(
          fitRequest(equipment, plain(understood.request) as never, clock),
          understood.request,
          words,
        );
      },
    ),
    { numRuns: 3_000 },
  );
});
