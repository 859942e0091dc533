import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recordCallStack } from './support/call-stack.ts';
import { projectRoot } from './support/source-file.ts';

test('a prompt passes the files that ARCHITECTURE.md lists, and returns to none of them', async () => {
  const stack = await recordCallStack(projectRoot, '/tyre-size 37-622');
  // A family's index only loads the module that executes its skills.
  const files = stack.map(({ file }) => file).filter((file) => !file.endsWith('/index.ts'));
  const visits = files.filter((file, index) => file !== files[index - 1]);
  assert.deepEqual(visits, filesOfARun());
  assert.ok(visits.length <= 9);
  assert.equal(new Set(visits).size, visits.length);
});

/** Returns the files that ARCHITECTURE.md lists for a run, in order. */
function filesOfARun(): readonly string[] {
  const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');
  const [, section = ''] = /\*\*A run\*\*(.*?)\*\*A model loop\*\*/s.exec(page) ?? [];
  return [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
}
