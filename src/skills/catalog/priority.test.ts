import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentionedNames } from './priority.ts';

const names = [
  'pdf',
  'pdf-tools',
  'safe_bash',
  'project:report',
  'user:report:2',
  'office/report',
  '数据分析',
  'a-b-c',
  'ünï',
];
const cases: readonly (readonly [request: string, mentioned: readonly string[]])[] = [
  ['', []],
  ['Make me a PDF, please.', ['pdf']],
  ['Use pdf-tools!', ['pdf-tools']],
  ['use PDF Tools', ['pdf', 'pdf-tools']],
  ['use pdf_tools', ['pdf-tools']],
  ['(safe-bash)', ['safe_bash']],
  ['safe\n bash', ['safe_bash']],
  ['safe. bash', []],
  ['pdfs and unsafe-bash', []],
  ['see docs/pdf/readme', []],
  ['/pdf now', ['pdf']],
  ["the pdf's title", ['pdf']],
  ['write a report', ['project:report', 'user:report:2', 'office/report']],
  ['use project:report', ['project:report']],
  ['请用数据分析做pdf', ['pdf', '数据分析']],
  ['a b c', ['a-b-c']],
  ['a b-c d', ['a-b-c']],
  ['ÜNÏ', ['ünï']],
];
for (const [request, mentioned] of cases) {
  test(`"${request}" mentions ${mentioned.join(' and ') || 'nothing'}`, () => {
    assert.deepEqual([...mentionedNames(request, names)].sort(), [...mentioned].sort());
  });
}
