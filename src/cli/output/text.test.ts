import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../testing/garbage.ts';
import { cutTo, oneLine, padTo, rowsOf, widthOf, wrapWords } from './text.ts';

describe('one line', () => {
  const cases: readonly (readonly [text: string, line: string])[] = [
    ['plain', 'plain'],
    ['two\nlines\r\nand\ttabs', 'two lines and tabs'],
    ['  much   space  ', 'much space'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://evil\u0007link\u001b]8;;\u0007', 'link'],
    ['a\u0007b\u0000c\u007fd', 'a b c d'],
    ['\u009b31mred', 'red'],
    ['safe\u202eevil', 'safe evil'],
    ['a\u2066b\u2069c\u200fd', 'a b c d'],
    ['zero\u200bwidth\ufeff', 'zero width'],
    ['line\u2028separator', 'line separator'],
    ['👩‍🔧 Café 数据', '👩‍🔧 Café 数据'],
  ];
  for (const [text, line] of cases) test(JSON.stringify(text), () => assert.equal(oneLine(text), line));

  test('whatever the text, nothing in it steers a terminal', () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('\u001b', '[', ']', '\u009b', '31m', '\u0007', '\n', '\u202e'),
    );
    fc.assert(
      fc.property(fc.array(piece), (parts) => {
        assert.doesNotMatch(oneLine(parts.join('')), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe('width', () => {
  const cases: readonly (readonly [text: string, width: number])[] = [
    ['', 0],
    ['abc', 3],
    ['Café', 4],
    ['Cafe\u0301', 4],
    ['数据', 4],
    ['ｆｕｌｌ', 8],
    ['한국어', 6],
    ['👍', 2],
    ['👩‍🔧', 2],
    ['🇩🇪', 2],
    ['✔️', 2],
    ['данные', 6],
    ['e\u200b', 1],
  ];
  for (const [text, width] of cases) test(`${text} takes ${width}`, () => assert.equal(widthOf(text), width));

  test('a cut text fits, and says that it was cut', () => {
    assert.equal(cutTo('abcdef', 6), 'abcdef');
    assert.equal(cutTo('abcdef', 5), 'abcd…');
    assert.equal(cutTo('数据分析', 8), '数据分析');
    assert.equal(cutTo('数据分析', 7), '数据分…');
    assert.equal(cutTo('数据分析', 6), '数据…');
    assert.equal(cutTo('👩‍🔧👩‍🔧', 3), '👩‍🔧…');
    assert.equal(cutTo('abc', 1), '…');
    assert.equal(cutTo('', 0), '');
  });

  test('whatever is cut takes no more than its width, whatever is padded no less; rows lose nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        assert.ok(widthOf(cutTo(text, width)) <= width);
        assert.ok(widthOf(padTo(text, width)) >= width);
        if (widthOf(text) <= width) assert.equal(cutTo(text, width), text);
        assert.equal(rowsOf(text, width).join(''), text);
        for (const row of rowsOf(text, width + 1)) assert.ok(widthOf(row) <= width + 1);
      }),
    );
  });

  test('Latin letters, punctuation and symbols are as wide alone as in a text that needs more care', () => {
    const wide = '日本'; // the width of a text with it is computed by the segmenter
    for (let code = 0x20; code < 0x2800; code += code === 0x2ff ? 0x1d01 : 1) {
      const character = String.fromCharCode(code);
      assert.equal(widthOf(character), widthOf(wide + character) - 4, `U+${code.toString(16)}`);
    }
  });

  test('words are not split, and continuation lines are indented', () => {
    assert.deepEqual(wrapWords('one two three', 7), ['one two', 'three']);
    assert.deepEqual(wrapWords('日本 語 end', 7, '  '), ['日本 語', '  end']);
    assert.deepEqual(wrapWords('a much-too-long one', 6), ['a', 'much-too-long', 'one']);
    assert.deepEqual(wrapWords('', 6), ['']);
  });
});
