import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../core/json.ts';
import { readAnswer } from './answer.ts';

describe('an answer of a model', () => {
  test('is text or code, as it says', () => {
    assert.deepEqual(readAnswer({ mode: 'text', text: ' a \n', code: 'return 1' }), {
      mode: 'text',
      text: 'a',
    });
    assert.deepEqual(readAnswer({ mode: 'code', text: 'a', code: 'return 1', explanation: 'One.' }), {
      mode: 'code',
      code: 'return 1',
      explanation: 'One.',
    });
  });

  test('without a mode is code where there is some', () => {
    assert.equal(readAnswer({ code: 'return 1', text: 'a' }).mode, 'code');
    assert.equal(readAnswer({ mode: null, code: ' ', text: 'a' }).mode, 'text');
    assert.equal(readAnswer({ code: null, text: 'a' }).mode, 'text');
  });

  test('may have its code in a fence', () => {
    for (const code of ['```js\nreturn 1\n```', '\n```\nreturn 1```\n', '```javascript\nreturn 1\n```'])
      assert.deepEqual(readAnswer({ code }), { mode: 'code', code: 'return 1', explanation: '' });
    const inner = 'return `a\n```js\nb\n```\n`';
    assert.deepEqual(readAnswer({ code: inner }), { mode: 'code', code: inner, explanation: '' });
  });

  test('that is something else cannot be used', () => {
    const wrong: readonly (readonly [Json, RegExp])[] = [
      ['text', /must be an object/],
      [['text'], /must be an object/],
      [{}, /neither "text" nor "code"/],
      [{ mode: 'text' }, /neither "text" nor "code"/],
      [{ mode: 'prose', text: 'a' }, /"mode" must be/],
      [{ mode: 'code', code: ['return 1'] }, /"code" must be a text/],
      [{ text: 7 }, /"text" must be a text/],
    ];
    for (const [given, fault] of wrong) assert.throws(() => readAnswer(given), fault, JSON.stringify(given));
  });
});
