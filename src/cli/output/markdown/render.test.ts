import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { widthOf } from '../text.ts';
import { lastBlockStart, renderMarkdown } from './render.ts';

const plain = (text: string, width = 40): readonly string[] => renderMarkdown(text, { width, color: false });

describe('Markdown at a terminal', () => {
  test('headings, lists, quotes and rules are laid out, and words wrap', () => {
    assert.deepEqual(
      plain(
        '# A\n\nSome *text* and `code`.\n\n- one two three four five six seven eight nine\n  1. deep\n- b\n\n> said\n',
      ),
      [
        '# A',
        '',
        'Some text and `code`.',
        '',
        '• one two three four five six seven',
        '  eight nine',
        '  1. deep',
        '• b',
        '',
        '│ said',
      ],
    );
  });

  test('a line break of the writer is kept', () => {
    assert.deepEqual(plain('a.md\nb.md'), ['a.md', 'b.md']);
  });

  test('a table shrinks its widest column, and becomes a list where that is too narrow', () => {
    const table = '| a | n |\n|---|--:|\n| x | 5 |\n| some longer words in a cell that wrap | 12 |\n';
    assert.deepEqual(plain(table), [
      'a                                   │  n',
      '────────────────────────────────────┼───',
      'x                                   │  5',
      'some longer words in a cell that    │ 12',
      'wrap                                │',
    ]);
    const wide = `|${' word |'.repeat(8)}\n|${'---|'.repeat(8)}\n|${' other thing |'.repeat(8)}\n`;
    assert.deepEqual(plain(wide).slice(0, 2), ['word: other thing', 'word: other thing']);
  });

  test('a link shows its address once, and an address is never broken', () => {
    const address = `https://example.org/${'a'.repeat(40)}`;
    assert.deepEqual(plain(`[text](${address}) and <${address}>`), ['text', `(${address})`, 'and', address]);
    const live = renderMarkdown(address, { width: 40, color: false, isLive: true });
    assert.deepEqual(
      live.map((line) => line.length),
      [40, 20],
    );
  });

  test('code keeps its spaces and is coloured, and NO_COLOR has no control sequences', () => {
    const text = '```js\nconst a =  "b"; // c\n```';
    const [line = ''] = renderMarkdown(text, { width: 40, color: true });
    assert.equal(stripVTControlCharacters(line), '  const a =  "b"; // c');
    assert.ok(line.includes('\u001b[32m"b"\u001b[39m'));
    assert.deepEqual(plain(text), ['  const a =  "b"; // c']);
  });

  test('control sequences in the text of a model do not reach the terminal', () => {
    assert.deepEqual(plain('a\u001b[31mb\u0007 \u202ec'), ['ab c']);
    assert.deepEqual(plain('`\u001b]0;title\u0007x`'), ['`x`']);
  });

  test('no line is wider than the terminal, whatever is written', () => {
    const pieces = [
      '# ',
      '- ',
      '1. ',
      '> ',
      '|',
      '\n',
      '\n\n',
      '```\n',
      '`',
      '**',
      'word ',
      'längere ',
      '日本 ',
      '|---|\n',
    ];
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 40, max: 120 }), (text, width) => {
        const lines = renderMarkdown(text, { width, color: true, isLive: true });
        for (const line of lines) assert.ok(widthOf(stripVTControlCharacters(line)) <= width, line);
      }),
      { numRuns: 200 },
    );
  });
});

test('the last block of a text that is being written may still change', () => {
  assert.equal(lastBlockStart('a\n\n- b\n- c\n\nd'), 12);
  assert.equal(lastBlockStart('a\n\n```\nb\n\nc'), 3);
  assert.equal(lastBlockStart('abc'), 0);
  assert.equal(lastBlockStart(''), 0);
});
