import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misspeltKeys } from './settings-file.ts';

test('a key that looks like a setting is told with what was meant', () => {
  assert.deepEqual(misspeltKeys({ modells: 'a/b', mcpServer: {} }), [
    { key: 'modells', meant: 'models' },
    { key: 'mcpServer', meant: 'mcpServers' },
  ]);
});

test('settings, keys of skills and of editors, and one that stands beside the right one are left alone', () => {
  assert.deepEqual(misspeltKeys({ models: 'a/b', $schema: 'x', invoicing: {}, modelsOfTheShop: 1 }), []);
  assert.deepEqual(misspeltKeys({ models: 'a/b', model: 'c/d' }), []);
});
