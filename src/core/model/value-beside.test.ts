import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../json.ts';
import { valueBeside } from './value-beside.ts';

const beside = (text: string, value: Json): string => valueBeside({ status: 'done', text, value });

describe('a value beside its text', () => {
  const hidden: readonly (readonly [text: string, value: Json])[] = [
    ['Orders: [7,8].', [7, 8]],
    ['Order:\n{\n  "id": 7\n}', { id: 7 }],
    ['There are 2.', 2],
    ['It costs -3, maybe.', -3],
    ['It is true.', true],
    ['The winner is ann.', 'ann'],
    ['The winner is  ann\nlee.', 'ann lee'],
    ['He said "a\\nb".', 'a\nb'],
    ['Done.', null],
    ['', [1]],
  ];
  for (const [text, value] of hidden)
    test(`is hidden: ${JSON.stringify([text, value])}`, () => {
      assert.equal(beside(text, value), '');
    });

  const shown: readonly (readonly [text: string, value: Json])[] = [
    ['7 and 8', [7, 8]],
    ['Order 7 for ann', { id: 7, name: 'ann' }],
    ['12 orders', 1],
    ['It costs 1.5.', 1],
    ['It costs 1,500.', 1],
    ['It costs 2.1.', 1],
    ['It is at -1.', 1],
    ['construed', true],
    ['announced', 'ann'],
    ['Done.', {}],
    ['Done.', 0],
    ['Done.', false],
  ];
  for (const [text, value] of shown)
    test(`is shown: ${JSON.stringify([text, value])}`, () => {
      assert.equal(beside(text, value), JSON.stringify(value));
    });
});
