import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, childOf, isWithin } from './paths.ts';

test('paths are built and taken apart at the root of the file system too', () => {
  assert.deepEqual([childOf('/a', 'b'), childOf('/', 'b'), childOf('/a/', 'b')], ['/a/b', '/b', '/a/b']);
  assert.deepEqual([below('/a', '/a/b/c'), below('/', '/b/c'), below('/a', '/a')], ['b/c', 'b/c', '']);
});

test('a path is within a folder, not within one whose name it only begins with', () => {
  assert.ok(isWithin('/a/b', '/a') && isWithin('/a', '/a') && isWithin('/a', '/'));
  assert.ok(!isWithin('/ab', '/a') && !isWithin('/', '/a') && !isWithin('/b/a', '/a'));
});
