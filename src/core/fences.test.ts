import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fencesIn, type Fence } from './fences.ts';

function all(text: string): readonly Fence[] {
  return [...fencesIn(text)];
}

test('blocks come in their order, with language and content', () => {
  const text = 'Look:\n\n```TypeScript run\nlet a;\n```\nand\n~~~\n```\n~~~\n';
  assert.deepEqual(all(text), [
    { language: 'typescript', content: 'let a;\n' },
    { language: '', content: '```\n' },
  ]);
});

test('a block in a list loses its indentation, and no more than that', () => {
  assert.deepEqual(all('1. this\n\n   ```js\n   if (a)\n     b();\n c\n   ```'), [
    { language: 'js', content: 'if (a)\n  b();\nc\n' },
  ]);
});

test('longer marks hold shorter ones', () => {
  assert.deepEqual(all('````md\n```js\nx\n```\n`````'), [{ language: 'md', content: '```js\nx\n```\n' }]);
});

test('a block that is never closed goes to the end', () => {
  assert.deepEqual(all('```js\r\nx\r\ny'), [{ language: 'js', content: 'x\ny\n' }]);
});

test('marks within a line open nothing', () => {
  assert.deepEqual(all('```x``` is code\nand ``` this'), []);
});
