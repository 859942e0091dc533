import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { removeOldCaches } from './cache-age.ts';

test('caches that were not written for a month are removed, and nothing else', () => {
  const old = 'skills-0123456789abcdef.json';
  using files = tree({
    [old]: '',
    [`${old}.1b9d6bcd.tmp`]: '',
    'skills-fedcba9876543210.json': '',
    'notes.json': '',
    'skills-mine.json': '',
  });
  const longAgo = new Date(Date.now() - 31 * 86_400_000);
  for (const name of readdirSync(files.path))
    if (!name.startsWith('skills-f')) utimesSync(files.at(name), longAgo, longAgo);
  removeOldCaches(files.path);
  assert.deepEqual(readdirSync(files.path).sort(), [
    'notes.json',
    'skills-fedcba9876543210.json',
    'skills-mine.json',
  ]);
});
