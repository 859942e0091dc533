import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noDoubts } from './state.ts';

test('a doubted path doubts neither what is below nor what is beside it', () => {
  const dirty = noDoubts();
  assert.ok(dirty.isEmpty);
  dirty.add('/a/b');
  assert.deepEqual(
    ['/a/b', '/a/b/c', '/a', '/a/bc'].map((path) => dirty.has(path)),
    [true, false, false, false],
  );
  assert.deepEqual([dirty.isEmpty, dirty.hasTrees], [false, false]);
});

test('a doubted tree doubts everything at and below its folder', () => {
  const dirty = noDoubts();
  dirty.addTree('/a/b');
  assert.deepEqual(
    ['/a/b', '/a/b/c/d', '/a', '/a/bc', '/'].map((path) => dirty.has(path)),
    [true, true, false, false, false],
  );
  dirty.addTree('/');
  assert.ok(dirty.has('/x/y'));
});

test('what was cleared is no longer in doubt', () => {
  const dirty = noDoubts();
  dirty.add('/a');
  dirty.addTree('/b');
  assert.deepEqual([...dirty.paths()], ['/a', '/b']);
  dirty.clear();
  assert.deepEqual([dirty.isEmpty, dirty.hasTrees, dirty.has('/b/c')], [true, false, false]);
});

test('ten thousand doubted trees do not make the question slow', () => {
  const dirty = noDoubts();
  for (let index = 0; index < 10_000; index++) dirty.addTree(`/trees/${index}`);
  let hits = 0;
  for (let index = 0; index < 200_000; index++) if (dirty.has(`/other/${index}/SKILL.md`)) hits++; // never ends if the work is quadratic
  assert.equal(hits, 0);
});
