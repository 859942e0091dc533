import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentWords } from './content-words.ts';

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
