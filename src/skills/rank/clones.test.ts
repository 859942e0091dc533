import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentWords, createCloneGroups } from './clones.ts';

const base =
  'Fills PDF forms, merges documents, extracts tables and converts scanned pages into searchable text.';

test('exact copies, copies with one word changed and reordered copies are one group', () => {
  const groups = cloneGroups([
    base,
    base,
    ` ${base}\n`,
    base.replace('Fills', 'Completes'),
    base.replace('searchable', 'plain'),
    base.toUpperCase(),
    base.split(' ').reverse().join(' '),
    `${base} pdf PDF pdf PDF`,
    `${base} Version 17.`,
  ]);
  assert.deepEqual(new Set(groups).size, 1);
});

test('descriptions of different things are not clones, however alike they are built', () => {
  const texts = [
    'Converts PDF files to Word.',
    'Converts PDF files to Excel.',
    'Manages glab user commands.',
  ];
  assert.equal(new Set(cloneGroups([...texts, 'Manages glab alias commands.', base])).size, 5);
});

test('empty descriptions are not clones', () => {
  assert.equal(new Set(cloneGroups(['', ' ', '\n', ''])).size, 4);
});

test('texts without a content word are clones only of the same text', () => {
  assert.deepEqual(cloneGroups(['!!!', '???', '!!!', '1 2 3', 'of the', '???']), [0, 1, 0, 2, 3, 1]);
});

test('clones are found in writing without blanks', () => {
  const text = '从扫描的文件中提取表格并将其转换为电子表格或数据库记录';
  assert.deepEqual(cloneGroups([text, `${text}。`, text.replace('记录', '数据'), '翻译合同']), [0, 0, 0, 1]);
});

test('what one group may hold is decided exactly: four fifths of the words', () => {
  const nine = 'one1 two2 three3 four4 five5 six6 seven7 eight8 nine9';
  const eight = nine.replace(' nine9', '');
  assert.deepEqual(cloneGroups([nine, nine.replace('nine9', 'ten10')]), [0, 0]); // 8 of 10
  assert.deepEqual(cloneGroups([eight, eight.replace('eight8', 'ten10')]), [0, 1]); // 7 of 9
});

test('every group is as near to its first member as it must be, and no other text is', () => {
  const text = fc
    .array(fc.constantFrom(...'abcdefghijkl'.split('').map((letter) => letter.repeat(3))), { maxLength: 12 })
    .map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
      const groups = cloneGroups(texts);
      const leaders = new Map<number, ReadonlySet<string>>();
      for (const [index, group] of groups.entries()) {
        const words = contentWords(texts[index] ?? '');
        const leader = leaders.get(group);
        const near = [...leaders.values()].some((other) => alike(other, words));
        if (leader === undefined) assert.equal(near && words.size > 0, false);
        else assert.ok(alike(leader, words));
        if (leader === undefined) leaders.set(group, words);
      }
      assert.deepEqual(cloneGroups(texts), groups);
    }),
    { numRuns: 500 },
  );
});

test('ten thousand descriptions that share most of their words end in ten thousand groups', () => {
  const texts = Array.from({ length: 10_000 }, (_, n) => `Handles customer refunds in region r${n} by q${n}`);
  assert.equal(new Set(cloneGroups(texts)).size, 10_000);
});

function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared) >= 0.8;
}

function cloneGroups(descriptions: Iterable<string>): readonly number[] {
  const groups = createCloneGroups();
  return Array.from(descriptions, (description) => groups.add(description));
}

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['Use this when the user is in need of it.', ['user']],
  ['Merge PDFs, merge pdfs; 2 of 17 files.', ['merge', 'pdfs', 'files']],
  ['csv_to-json v2', ['csv', 'json', 'v2']],
  ['Größe ＦＵＬＬ', ['größe', 'full']],
  ['数据分析', ['数据', '据分', '分析']],
  ['表 и отчёт', ['表', 'и', 'отчёт']],
];
for (const [text, words] of cases) {
  test(`the content words of "${text}"`, () => assert.deepEqual([...contentWords(text)], words));
}
