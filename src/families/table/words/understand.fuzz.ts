import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openLoops } from '../../../../test/stress/stress.ts';
import { finished } from '../../../../test/support/deadline.ts';
import { randomRequest } from '../../../../test/support/random-requests.ts';
import type { Random } from '../../../../test/support/random.ts';
import { sayRequest } from '../../../../test/support/say-request.ts';
import { clock, equipment, loans, seats } from '../../../../test/support/word-tables.ts';
import { readTokens } from '../../../engines/phrases/tokens.ts';
import { fitRequest } from '../request/fit-request.ts';
import { longestWords } from './cursor.ts';
import { understand } from './understand.ts';
import fc from 'fast-check';

const { createLoop } = openLoops(import.meta);
const batches = createLoop({ small: 3, full: 1_000, weight: 7 });
const batch = 1_000; // The number of texts per batch.
const tables = [equipment, loans, seats];

test('broken requests are understood or refused', async (t) => {
  const corpus = fc
    .sample(randomRequest, { numRuns: 300, seed: batches.seed })
    .map((request, index) => sayRequest(request, index));
  const counts = { request: 0, question: 0, fault: 0, unknown: 0 };
  const check = (random: Random): void => {
    const words = mutateText(random, random.pick(corpus), corpus);
    const table = random.below(8) === 0 ? random.pick(tables) : equipment;
    try {
      checkTokens(words);
      const understood = understand(table, words, clock);
      counts[understood.kind]++;
      if ('at' in understood) assert.ok(understood.at >= 0 && understood.at <= words.length);
      if (understood.kind === 'request') {
        assert.deepEqual(
          fitRequest(table, structuredClone(understood.request) as never, clock),
          understood.request,
        );
      }
    } catch (thrown) {
      throw new Error(JSON.stringify(words), { cause: thrown });
    }
  };
  const done = await batches.rounds(({ random }) => {
    finished('a batch of texts', () => {
      for (let left = batch; left > 0; left -= 1) check(random);
    });
  });
  const texts = done * batch;
  t.diagnostic(`of ${texts} texts: ${JSON.stringify(counts)}`);
  assert.ok(
    counts.request > texts / 20 && counts.fault > texts / 20 && counts.unknown > 0 && counts.question > 0,
  );
});

/** Mutates a text: removes, inserts or duplicates a piece, or replaces it with a piece of another text. */
function mutateText(random: Random, text: string, corpus: readonly string[]): string {
  let words = text;
  for (let left = random.below(4); left > 0; left--) {
    const parts = words.split(' ');
    const at = random.below(parts.length + 1);
    const other = random.pick(random.pick(corpus).split(' '));
    const piece = random.below(3) === 0 ? random.pick(signs) : other;
    parts.splice(at, random.below(3), ...(random.below(2) === 0 ? [piece] : []));
    words = parts.join(random.below(20) === 0 ? '' : ' ');
    if (random.below(10) === 0) words = words.slice(0, random.below(words.length + 1));
  }
  return words;
}

const signs = [
  '"',
  "'",
  '“',
  '(',
  ')',
  '[',
  ']',
  '=',
  '<>',
  ',',
  ';',
  ':',
  '\n',
  '\\',
  '\0',
  '\ud800',
  'size',
  'unknown',
  '...',
];

/**
 * Checks that tokens occur in the text at their positions, in order, with only spaces and end punctuation
 * between them.
 */
function checkTokens(words: string): void {
  let isOpen = false;
  const tokens = tokensOf(words, () => (isOpen = true));
  if (isOpen) return;
  let end = 0;
  for (const token of tokens) {
    assert.match(words.slice(end, token.start), /^\s*$/);
    if (token.kind !== 'quoted') assert.equal(words.slice(token.start, token.end), token.text);
    assert.ok(token.end > token.start);
    end = token.end;
  }
  assert.match(words.slice(end), /^[\s.?!]*$/);
}

describe('the time grows with the length and no faster', () => {
  const starts = [
    '',
    'list ',
    'list where name is ',
    'list where price in (',
    'add equipment name ',
    'set name to ',
    'delete ',
    'add drill ',
  ];
  const units = [
    ...[
      'a ',
      'and ',
      'or ',
      'not ',
      '( ',
      ') ',
      'name ',
      'name, ',
      'name and ',
      '" " ',
      '"',
      "'",
      '= ',
      '1,',
      'D-17, ',
    ],
    ...[
      'status is ok or ',
      'for D-17 ',
      'where ',
      'in area ',
      'the ',
      'sort by ',
      'https://a:',
      '\n',
      '16 Nov 2026 or ',
      'in x ',
      'called x ',
    ],
  ];
  for (const start of starts) {
    const lengths = createLoop({ small: 5_000, full: longestWords });
    test(`many characters after ${JSON.stringify(start)}`, async () => {
      await lengths.sizes((length) => {
        for (const unit of units) {
          const words = (start + unit.repeat(length / unit.length)).slice(0, length);
          finished(JSON.stringify(unit), () => understand(equipment, words, clock));
        }
      });
    });
  }
});

/** Returns the tokens of a text. Calls `open` if a quote is not closed. */
function tokensOf(words: string, open: () => void): ReturnType<typeof readTokens> {
  const unclosed = new Error('A quote is not closed.');
  try {
    return readTokens(words, () => unclosed);
  } catch (thrown) {
    assert.equal(thrown, unclosed);
    open();
    return [];
  }
}
