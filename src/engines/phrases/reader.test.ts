import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePhrases } from './phrases.ts';
import { createPhraseReader, type PhraseReader } from './reader.ts';
import { plainReply } from './replies.ts';
import { readTokens } from './tokens.ts';
import { plural, singular, stem } from './phrases.ts';

const grammar = compilePhrases({
  articles: 'the|a',
  verbs: { show: 'show|show me', delete: 'delete' },
});

function readerOf(words: string): PhraseReader {
  return createPhraseReader(
    words,
    readTokens(words, () => new Error('open quote')),
  );
}

test('the longest phrase at a token gives its meaning', () => {
  const reader = readerOf('Show me the "a" list.');
  assert.equal(reader.accept(grammar.verbs), 'show');
  assert.equal(reader.index, 2);
  reader.skip(grammar.articles);
  assert.equal(reader.accept(grammar.articles), undefined, 'a quoted word is no phrase');
  assert.equal(reader.text(3), '"a" list');
});

test('an attempt without a result moves nothing', () => {
  const reader = readerOf('delete the list');
  assert.equal(
    reader.attempt(() => {
      reader.accept(grammar.verbs);
      return reader.accept(grammar.verbs);
    }),
    undefined,
  );
  assert.equal(reader.index, 0);
  assert.deepEqual(
    reader.longest(1, 3, (text) => (text === 'the list' ? 1 : undefined)),
    { found: 1, length: 2 },
  );
});

test('a quote that is not closed is an error, and escapes are resolved', () => {
  assert.throws(() => readerOf('say "x'), /open quote/);
  assert.deepEqual(
    readerOf(`'it''s' “a” >= 5`).tokens.map(({ kind, text, low }) => [kind, text, low]),
    [
      ['quoted', "it's", ''],
      ['quoted', 'a', ''],
      ['sign', '>=', '>='],
      ['word', '5', '5'],
    ],
  );
});

test('forms of one word have the same stem, and nouns have a singular and a plural', () => {
  assert.deepEqual(['closing', 'closed', 'close'].map(stem), ['clos', 'clos', 'clos']);
  assert.deepEqual(['area', 'battery', 'box'].map(plural), ['areas', 'batteries', 'boxes']);
  assert.deepEqual(['areas', 'batteries', 'boxes'].map(singular), ['area', 'battery', 'box']);
});

test('a plain reply is recognised in its usual forms, and other text is not', () => {
  assert.deepEqual(['Yes, go ahead!', 'no thanks', 'NEXT', 'everything', 'yesterday'].map(plainReply), [
    'yes',
    'no',
    'next',
    'all',
    undefined,
  ]);
});
