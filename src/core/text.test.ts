import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../testing/garbage.ts';
import type { Issue } from './issue.ts';
import {
  compareText,
  counted,
  cutText,
  decodeText,
  endOf,
  foldText,
  hasHiddenCharacters,
  hidesText,
  notUtf8,
  quote,
  skeletonOf,
  toLf,
  trimEndOf,
  visible,
  whyDeceptive,
  withoutByteOrderMark,
  withoutHidden,
} from './text.ts';

function decode(bytes: readonly number[] | Buffer): { text: string; issues: readonly string[] } {
  const issues: Issue[] = [];
  const text = decodeText(Uint8Array.from(bytes), issues);
  return { text, issues: issues.map((issue) => `${issue.code} ${issue.level}`) };
}

test('UTF-8 is read as it is', () => {
  assert.deepEqual(decode(Buffer.from('héllo 😀')), { text: 'héllo 😀', issues: [] });
  assert.deepEqual(decode([]), { text: '', issues: [] });
});

test('byte order marks are removed and reported', () => {
  assert.deepEqual(decode(Buffer.from('\ufeffa')), { text: 'a', issues: ['text.bom info'] });
  assert.deepEqual(decode(Buffer.from('\ufeff\ufeffa')), { text: 'a', issues: ['text.bom info'] });
  assert.deepEqual(decode(Buffer.from('a\ufeff')), { text: 'a\ufeff', issues: [] });
});

test('UTF-16 with a byte order mark is read in both orders', () => {
  const little = Buffer.from('\ufeffhé😀\n', 'utf16le');
  assert.deepEqual(decode(little), { text: 'hé😀\n', issues: ['text.encoding info'] });
  assert.deepEqual(decode(Buffer.from(little).swap16()), { text: 'hé😀\n', issues: ['text.encoding info'] });
});

test('bad bytes are replaced and reported, in every encoding', () => {
  assert.deepEqual(decode([0x61, 0xff, 0x62]), { text: 'a\ufffdb', issues: ['text.encoding warning'] });
  assert.deepEqual(decode([0xe2, 0x82]), { text: '\ufffd', issues: ['text.encoding warning'] });
  assert.deepEqual(decode([0xff, 0xfe, 0x61, 0x00, 0x62]), {
    text: 'a\ufffd',
    issues: ['text.encoding info', 'text.encoding warning'],
  });
  assert.deepEqual(decode([0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00]), {
    text: '\ufffda',
    issues: ['text.encoding info', 'text.encoding warning'],
  });
  assert.equal(notUtf8().code, 'text.encoding');
});

test('text from memory may start with a byte order mark too', () => {
  const issues: Issue[] = [];
  assert.equal(withoutByteOrderMark('\ufeffa', issues), 'a');
  assert.equal(withoutByteOrderMark('a', issues), 'a');
  assert.equal(issues.length, 1);
});

test('every line end becomes LF', () => {
  assert.equal(toLf('a\r\nb\rc\nd\r\r\n'), 'a\nb\nc\nd\n\n');
});

const unseen: Record<string, string> = {
  'zero-width space': '\u200b',
  'zero-width joiner': '\u200d',
  'word joiner': '\u2060',
  'byte order mark': '\ufeff',
  'soft hyphen': '\u00ad',
  'right-to-left override': '\u202e',
  isolate: '\u2066',
  'Arabic letter mark': '\u061c',
  'Hangul filler': '\u3164',
  'Mongolian vowel separator': '\u180e',
  tag: '\u{e0061}',
  'variation selector': '\u{e0100}',
  'annotation anchor': '\ufff9',
  bell: '\u0007',
  delete: '\u007f',
  'C1 control': '\u0090',
};

for (const [what, character] of Object.entries(unseen)) {
  test(`a ${what} is seen in names and in prose`, () => {
    assert.equal(hasHiddenCharacters(`a${character}b`), true);
    assert.equal(hidesText(`Some ${character}text`), true);
    assert.equal(hidesText(`pass${character}word`), true);
    assert.equal(whyDeceptive(`a${character}b`), 'it contains invisible characters');
  });
}

test('tabs, line ends and ordinary letters of any script hide nothing', () => {
  for (const text of ['one\ttwo\r\nthree', 'naïve', '数据分析', 'नमस्ते', 'שלום', 'e\u0301', '😀', '🇨🇭']) {
    assert.equal(hasHiddenCharacters(text), false, text);
    assert.equal(hidesText(text), false, text);
  }
});

test('the joiners of emoji and of joining scripts are ordinary in prose, not in names', () => {
  for (const text of ['👩‍💻 works', 'I ❤️ it', '👩🏽‍🚀', '🏳️‍🌈', '1️⃣ first', 'می‌خواهم', 'क्‍ष']) {
    assert.equal(hidesText(text), false, text);
    assert.equal(hasHiddenCharacters(text), true, text);
  }
});

test('joiners out of place are hidden text', () => {
  for (const text of ['pass\u200dword', '\u200dstart', 'a\ufe0fb', '❤️\ufe0f', '😀\u{e0041}'])
    assert.equal(hidesText(text), true, JSON.stringify(text));
});

test('what cannot be seen is taken out, and nothing else', () => {
  for (const character of Object.values(unseen)) {
    assert.equal(withoutHidden(`pass${character}word`), 'password', JSON.stringify(character));
  }
  for (const text of [
    '',
    'one\ttwo\r\nthree',
    'naïve 数据',
    '👩‍💻 works',
    'I ❤️ it',
    '🏳️‍🌈',
    'می‌خواهم',
    'क्‍ष',
  ]) {
    assert.equal(withoutHidden(text), text);
  }
  assert.equal(withoutHidden('❤️\ufe0f and \u200dstart'), '❤️ and start');
  assert.equal(withoutHidden('\ufffea\uffff'), 'a');
  assert.equal(withoutHidden('a\ud800b\udc00'), 'a\ufffdb\ufffd');
});

test('text without what is hidden hides nothing, is well-formed and stays as it is', () => {
  const pieces = fc.constantFrom(
    ...Object.values(unseen),
    '👩',
    '\ufe0f',
    '\u200d',
    'क',
    'a',
    '\ud83d',
    '\udc69',
    '\n',
  );
  const anyText = fc.oneof(
    fc.string({ unit: pieces }),
    fc.string({ unit: anyCharacter }),
    fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const clean = withoutHidden(text);
      assert.equal(hidesText(clean), false);
      assert.ok(clean.isWellFormed());
      assert.equal(withoutHidden(clean), clean);
    }),
    { numRuns: 1000 },
  );
});

test('look-alike letters and mixed scripts in one word are deceptive', () => {
  assert.equal(whyDeceptive('ｐｄｆ'), 'it uses look-alike forms of ordinary letters');
  assert.equal(whyDeceptive('ﬁle'), 'it uses look-alike forms of ordinary letters');
  assert.equal(whyDeceptive('𝐩𝐝𝐟'), 'it uses look-alike forms of ordinary letters');
  for (const name of ['ⓟdf', 'toolⓚit', 'too\u212ait', '₨ync', 'su㏄ess'])
    assert.equal(whyDeceptive(name), 'it uses look-alike forms of ordinary letters', name);
  assert.equal(whyDeceptive('dерloy'), 'it mixes Latin letters with look-alikes from another script');
  assert.equal(whyDeceptive('οutput'), 'it mixes Latin letters with look-alikes from another script');
});

test('names in any one script, and words of two scripts side by side, are honest', () => {
  for (const name of [
    'deploy',
    'Анализ PDF',
    'pdf-анализ',
    '数据-analysis',
    '处理（快速）：报告',
    'データ　解析',
    'ünï',
    'e\u0301clair',
    'नमस्ते',
  ]) {
    assert.equal(whyDeceptive(name), undefined, name);
  }
});

test('the skeleton of a name is how it looks', () => {
  assert.equal(skeletonOf('deploy'), 'deploy');
  assert.equal(skeletonOf('dерlоу'), 'deploy');
  assert.equal(skeletonOf('数据'), '数据');
  assert.equal(skeletonOf('сору'), 'copy');
});

test('what cannot be seen is spelled out', () => {
  assert.equal(visible('echo a\nrm  b'), 'echo a\\nrm  b');
  assert.equal(visible('a\u202eb\u200bc\u001b[1Ad\r'), 'a\\u{202e}b\\u{200b}c\\u{1b}[1Ad\\u{d}');
  assert.equal(
    visible('\u2028\u2060\ufeff\u{e0041} \ud800'),
    '\\u{2028}\\u{2060}\\u{feff}\\u{e0041} \\u{d800}',
  );
});

test('a blank that is not a blank to a shell is spelled out', () => {
  assert.equal(visible('echo x\u00a0# ; rm y\u3000\u2800'), 'echo x\\u{a0}# ; rm y\\u{3000}\\u{2800}');
});

test('what can be seen stays as it is', () => {
  const text = 'Grüße, 世界 🚲 "\\n"';
  assert.equal(visible(text), text);
});

test('the end of a text says how much is missing before it', () => {
  assert.equal(endOf('12345', 5), '12345');
  assert.equal(endOf(`${'x'.repeat(1200)}12345`, 5), '[1,200 characters before this were cut off]\n12345');
  assert.ok(endOf('😀'.repeat(10), 3).isWellFormed());
});

test('characters are removed only from the end, however many there are inside', () => {
  const inside = `${'.'.repeat(1_000_000)}x`;
  assert.equal(trimEndOf(`${inside}.. !`, /[\s.!]/), inside);
  assert.equal(trimEndOf('...', /[.]/), '');
});

test('a count has a noun that fits', () => {
  assert.equal(counted(1, 'record'), '1 record');
  assert.equal(counted(1200, 'record'), '1,200 records');
});

test('a text that is too long is cut between characters, and says so', () => {
  assert.equal(cutText('🚲🚲🚲', 3), '🚲🚲🚲');
  assert.equal(cutText('🚲🚲🚲🚲', 3), '🚲🚲…');
  assert.equal(cutText('a\nb', 10), 'a\\nb');
  assert.ok(cutText('x'.repeat(1_000_000), 5).length <= 5);
});

test('a value in a message is quoted, on one line and short', () => {
  assert.equal(quote('a\nb'), '"a\\nb"');
  assert.equal(quote({ a: 1 }), '"{"a":1}"');
  assert.equal(quote('x'.repeat(100)).length, 63);
});

test('texts are compared by bytes, and folded only in ASCII', () => {
  assert.equal(foldText('Ärger MÜLLER'), 'Ärger mÜller');
  assert.ok(compareText('\u{ffff}', '\u{10000}') < 0);
  assert.equal(compareText('a', 'a'), 0);
});
