import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { createRedactor, createStreamRedactor, type Redact } from './redact.ts';

function redactPieces(pieces: readonly string[], redact: Redact, longest: number): string {
  const stream = createStreamRedactor(redact, longest);
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end();
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const positions = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])];
  positions.sort((one, other) => one - other);
  return positions.map((position, index) => text.slice(position, positions[index + 1] ?? text.length));
}

const secrets = ['abcabc', 'abcabcabd', 'a😀b😀c😀', 'two\nlines of it'];
const parts = fc.oneof(
  fc.constantFrom(
    ...secrets,
    ...[
      'abc',
      'abcab',
      'd',
      'x',
      ' ',
      '😀',
      '\n',
      '-',
      '@',
      ':',
      'sk-',
      'authorization: bearer ',
      '://me:',
      '\\n',
    ],
    ...['[redacted]', '[redac', 'ted]', 'sk-' + 'a1B2'.repeat(5), `AKIA${'A2'.repeat(8)}`, 'a://me:pw@host'],
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 100, full: 10_000 });

test('the pieces of a stream, cut anywhere, give what redacting the whole gives', () => {
  const redact = createRedactor(secrets);
  const word = fc.array(parts, { maxLength: 4 }).map((some) => some.join('')); // ends every secret, so that none is longer than allowed
  const texts = fc.array(word, { maxLength: 60, size: 'max' }).map((words) => words.join(' '));
  const cuts = fc.array(fc.nat(), { maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(texts, cuts, (text, positions) => {
      assert.equal(redactPieces(cutAt(text, positions), redact, 200), redact(text));
    }),
    loop.runs(),
  );
});

test('every single cut of a text gives the same', () => {
  const redact = createRedactor(secrets);
  const text = `${'x '.repeat(60)}xabcabcabd authorization: bearer ${'b'.repeat(30)} ${'😀 y'.repeat(60)}`;
  for (let cut = 0; cut <= text.length; cut++)
    assert.equal(redactPieces([text.slice(0, cut), text.slice(cut)], redact, 60), redact(text));
  assert.equal(redactPieces(text.split(''), redact, 60), redact(text));
});

test('only a tail is held back, and no character is cut in two', () => {
  const stream = createStreamRedactor(createRedactor(secrets), 20);
  const pieces = Array.from({ length: 100 }, () => stream.push('😀 '));
  assert.ok(pieces.join('').length >= 300 - 24);
  for (const piece of pieces) assert.ok(piece.isWellFormed());
  assert.equal(pieces.join('') + stream.end(), '😀 '.repeat(100));
  assert.equal(stream.end(), '');
});

test('a secret that is longer than promised is not shown, and costs no more than its length', () => {
  const redact = createRedactor([]);
  const stream = createStreamRedactor(redact, 50);
  const long = 'sk-' + 'a1B2'.repeat(15_000);
  let shown = '';
  for (const piece of long.match(/.{1,8}/g) ?? []) shown += stream.push(piece);
  assert.equal(shown + stream.end(), '[redacted]');
});

test('a web token and a private key that are longer than promised are not shown either', () => {
  const redact = createRedactor([]);
  const body = 'a1B2'.repeat(500);
  const edge = (label: string): string => `-----${label} PRIVATE KEY-----`;
  for (const secret of [
    `eyJ${'a'.repeat(30)}.eyJ${body}.${'c'.repeat(43)}`,
    [edge('BEGIN'), body, edge('END')].join('\n'),
  ])
    assert.equal(
      redactPieces(`${'x '.repeat(300)}${secret} and`.match(/[^]{1,5}/g) ?? [], redact, 256),
      redact(`${'x '.repeat(300)}${secret} and`),
    );
});

test('a word is shown as soon as the next one begins, in every script', () => {
  const stream = createStreamRedactor(createRedactor(['hunter22 and more']), 256);
  const shown = ['Hel', 'lo ', 'wor', 'ld, ', 'how'].map((piece) => stream.push(piece));
  assert.deepEqual(shown, ['', 'Hello ', '', 'world, ', '']);
  assert.deepEqual(
    ['今天', '天气'].map((piece) => createStreamRedactor(createRedactor([]), 256).push(piece)),
    ['今天', '天气'],
  );
});

test('what introduces a credential, or begins a known secret, is held back with it', () => {
  const redact = createRedactor(['hunter22 and more']);
  for (const text of [
    `The header is Authorization: Bearer ${'a1B2'.repeat(8)} here`,
    `The header is "x-api-key" : "${'a1B2'.repeat(8)}" here`,
    'The word is hunter22 and more of it',
    'The word is hunter22 and less of it',
    [
      'Look: -----BEGIN RSA PRIVATE KEY-----',
      'a1B2'.repeat(10),
      'c3D4'.repeat(10),
      '-----END RSA PRIVATE KEY----- so',
    ].join('\n'),
  ])
    for (const size of [1, 2, 3, 7]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      assert.equal(redactPieces(pieces, redact, 256), redact(text));
    }
});
