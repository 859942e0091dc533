import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { count } from '../../../../test/stress/count.ts';
import { randomRequest } from '../../../../test/support/random-requests.ts';
import { createRandom, type Random } from '../../../../test/support/random.ts';
import { sayRequest } from '../../../../test/support/say-request.ts';
import { clock, equipment, loans, seats } from '../../../../test/support/word-tables.ts';
import { fitRequest } from '../request/fit-request.ts';
import { readTokens } from './read-tokens.ts';
import { verdictOf } from './stop.ts';
import { understand } from './understand.ts';

const seed = count({ small: 11, full: Date.now() % 2 ** 31 });
const texts = count({ small: 3_000, full: 1_000_000 });
const tables = [equipment, loans, seats];

test(`${texts} broken requests are understood or refused, each in time`, (t) => {
  const random = createRandom(seed);
  const corpus = fc
    .sample(randomRequest, { numRuns: 300, seed })
    .map((request, index) => sayRequest(request, index));
  const seen = { request: 0, question: 0, fault: 0, unknown: 0 };
  for (let number = 1; number <= texts; number++) {
    const words = breakWords(random, random.pick(corpus), corpus);
    const table = random.below(8) === 0 ? random.pick(tables) : equipment;
    try {
      checkTokens(words);
      const understood = understand(table, words, clock);
      seen[understood.kind]++;
      if ('at' in understood) assert.ok(understood.at >= 0 && understood.at <= words.length);
      if (understood.kind === 'request') {
        assert.deepEqual(
          fitRequest(table, structuredClone(understood.request) as never, clock),
          understood.request,
        );
      }
    } catch (thrown) {
      throw new Error(`Text ${number} of seed ${seed}: ${JSON.stringify(words)}`, { cause: thrown });
    }
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(seen)}`);
  assert.ok(seen.request > texts / 20 && seen.fault > texts / 20 && seen.unknown > 0 && seen.question > 0);
});

/** A text with a piece taken out, put in, doubled, or exchanged for one of another text. */
function breakWords(random: Random, text: string, corpus: readonly string[]): string {
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

/** Tokens stand in the text where they say, in order, with nothing but blanks and end marks between them. */
function checkTokens(words: string): void {
  let tokens: ReturnType<typeof readTokens>;
  try {
    tokens = readTokens(words);
  } catch (thrown) {
    assert.equal(verdictOf(thrown).kind, 'fault');
    return;
  }
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
  const length = count({ small: 5_000, full: 100_000 });
  const starts = [
    '',
    'list ',
    'list where name is ',
    'list where price in (',
    'add equipment name ',
    'set name to ',
    'delete ',
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
    ],
  ];
  for (const start of starts) {
    test(`${length} characters behind ${JSON.stringify(start)}`, () => {
      for (const unit of units) {
        const words = (start + unit.repeat(length / unit.length)).slice(0, length);
        const took = measure(1_500, () => understand(equipment, words, clock));
        assert.ok(took < 1_500, `${took.toFixed(0)} ms for ${JSON.stringify(unit)}`);
      }
    });
  }
});

/** The milliseconds of a processor that something takes; what seems slow may have met a garbage collection, and is done again. */
function measure(limit: number, run: () => unknown): number {
  for (let left = 4; ; left--) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1_000;
    if (took < limit || left === 0) return took;
  }
}
