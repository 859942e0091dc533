import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from '../../../test/support/deadline.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Issue } from '../../core/issue.ts';
import { misspeltKeys, readFileLayer } from './settings-file.ts';

/** Returns the issues of a user's settings file. */
function issuesIn(text: string): readonly Issue[] {
  using files = tree({ 'settings.json': text });
  const issues: Issue[] = [];
  const belief = { own: {}, isTrusted: () => true };
  readFileLayer(
    { layer: 'user', file: files.at('settings.json') },
    belief,
    (issue) => void issues.push(issue),
  );
  return issues;
}

test('a file that is not JSON is named with line and column', () => {
  const [issue] = issuesIn('{\n  // one\n  "offline" true\n}\n');
  assert.equal(issue?.line, 3);
  assert.deepEqual(issue.details, { column: 13 });
  assert.match(
    issue.message,
    /JSON: expected a colon after the property name \(column 13\)\. The file is ignored\.$/,
  );
});

test('a file with thousands of wrong values is read in a moment, and each has its line', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `skill-${index}`);
  const entries = Object.fromEntries(names.map((name) => [name, { enabled: 'no' }]));
  const text = JSON.stringify({ skills: { entries } }, undefined, 2);
  const issues = finished('10,000 wrong values', () => issuesIn(text));
  assert.deepEqual(
    issues.map(({ line }) => line),
    names.map((_, index) => 5 + 3 * index),
  );
});

test('a key that looks like a setting is reported with what was meant', () => {
  assert.deepEqual(misspeltKeys({ modells: 'a/b', mcpServer: {} }), [
    { key: 'modells', meant: 'models' },
    { key: 'mcpServer', meant: 'mcpServers' },
  ]);
});

test('settings, keys of skills and of editors, and a key next to the right one are left alone', () => {
  assert.deepEqual(misspeltKeys({ models: 'a/b', $schema: 'x', invoicing: {}, modelsOfTheShop: 1 }), []);
  assert.deepEqual(misspeltKeys({ models: 'a/b', model: 'c/d' }), []);
});
