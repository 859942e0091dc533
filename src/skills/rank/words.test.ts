import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../testing/garbage.ts';
import { Ranker } from './ranker.ts';
import { termsOf, wordsOf } from './words.ts';

const sameTerms: readonly (readonly [what: string, a: string, b: string])[] = [
  ['forms of a verb', 'convert', 'converting converts converted'],
  ['singular and plural', 'table query', 'tables queries'],
  ['upper and lower case', 'PDF Report', 'pdf report'],
  ['a compound by hyphen and as one word', 'sign-up', 'signup signUp sign_up'],
  ['full-width letters', 'ＰＤＦ', 'pdf'],
  ['ligatures', 'ﬁlter', 'filter'],
  ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
];
for (const [what, a, b] of sameTerms) {
  test(`words: ${what} share their terms`, () => {
    const known = new Set(termsOf(b));
    assert.ok(termsOf(a).length > 0);
    assert.deepEqual(
      termsOf(a).filter((term) => !known.has(term)),
      [],
    );
  });
}

const holding: readonly (readonly [text: string, words: string])[] = [
  ['csv_to-json', 'csv json'],
  ['csvToJson', 'csv json'],
  ['HTTPServer', 'http server'],
  ['parseHTML5Page', 'parse page'],
  ['src/core/table.ts', 'core table'],
  ['docs.example.com', 'docs example'],
];
for (const [text, words] of holding) {
  test(`words: ${text} gives its parts`, () => {
    const terms = new Set(termsOf(text));
    for (const term of termsOf(words)) assert.ok(terms.has(term), `${term} in ${[...terms].join(' ')}`);
  });
}

test('words: stop words and single letters give nothing, C and R and digits do', () => {
  assert.deepEqual(termsOf('Please help me with the use of it, and what would you do?'), []);
  assert.deepEqual(termsOf('a b x y'), []);
  assert.deepEqual(termsOf('C R 7'), ['c', 'r', '7']);
});

test('words: C# and C++ are not C', () => {
  assert.deepEqual(termsOf('C#, C++; C.'), ['c#', 'c++', 'c']);
  assert.notDeepEqual(termsOf('F#'), termsOf('C#'));
});

test('words: a word that is far too long is not a term, and the words around it stay', () => {
  assert.deepEqual(termsOf(`table ${'x'.repeat(100_000)} query`), termsOf('table query'));
});

test('words: names of the language itself are words as any other', () => {
  assert.equal(termsOf('constructor __proto__ toString hasOwnProperty').length > 3, true);
});

const otherScripts: readonly (readonly [language: string, description: string, prompt: string])[] = [
  ['Chinese', '把表格转换成图表，并生成报告', '请把这个表格画成图表'],
  ['Japanese', '会議の議事録を作成します', '昨日の会議の議事録をお願いします'],
  ['Korean', '회의록을 작성하고 요약합니다', '어제 회의록 요약 부탁해요'],
  ['Thai', 'แปลเอกสารเป็นภาษาอังกฤษ', 'ช่วยแปลเอกสารนี้หน่อย'],
  ['Russian', 'Переводит документы на английский', 'нужно документы перевести на английский'],
  ['Greek', 'Μεταφράζει έγγραφα', 'έγγραφα'],
];
for (const [language, , prompt] of otherScripts) {
  test(`words: a prompt in ${language} finds the skill that is described in it`, () => {
    const ranker = new Ranker();
    ranker.add('other', { name: 'other', description: 'Bakes bread.', body: '' });
    otherScripts.forEach((row) => ranker.add(row[0], { name: row[0], description: row[1], body: '' }));
    assert.equal(ranker.rank(prompt).ranked[0]?.key, language);
  });
}

test('words: pairs of letters reach over what a font shows as one', () => {
  assert.deepEqual(termsOf('数据库'), ['数据', '据库']);
  assert.deepEqual(termsOf('数'), ['数']);
  assert.deepEqual(termsOf('𠮷野家'), ['𠮷野', '野家']);
});

test('words: emoji, lone surrogates and hidden characters never throw and hide no word beside them', () => {
  const odd = [
    '😀',
    '👩‍💻',
    '\ud83d',
    '\udc69',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\u0000',
    '\ufdfa',
    '\u{e0041}',
    '️',
  ];
  for (const each of odd) {
    const terms = termsOf(`table ${each} query`);
    assert.ok(terms.includes('tabl') && terms.includes('queri'), JSON.stringify(each));
  }
});

test('words: any text gives the same terms each time, none of them empty', () => {
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }), fc.string());
  fc.assert(
    fc.property(text, (each) => {
      const terms = termsOf(each);
      assert.deepEqual(termsOf(each), terms);
      assert.ok(terms.every((term) => term !== '' && term === term.toLowerCase()));
      assert.ok(wordsOf(each).length > 0 || terms.length === 0);
    }),
    { numRuns: 500 },
  );
});

test('words: the terms of two texts are those of the one and then of the other', () => {
  const alphabet = Array.from('abcdeFGHIxyz0189+#-_./ ');
  const text = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 40 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.deepEqual(termsOf(`${a} ${b}`), [...termsOf(a), ...termsOf(b)]);
    }),
    { numRuns: 500 },
  );
});

test('words: a letter outside of ASCII elsewhere in a text changes nothing for its other words', () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ12+#-_./ ,')), maxLength: 40 });
  fc.assert(fc.property(text, (each) => assert.deepEqual(termsOf(`${each} – `), termsOf(`${each} `))));
});
