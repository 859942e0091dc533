import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative } from 'node:path';
import { test } from 'node:test';
import { compileCache } from '../../test/support/compile-cache.ts';
import type { EntryFiles } from './entry-file.ts';
import { sourceFile } from '../../test/support/source-file.ts';

test('a file that is started from sources reads the folders that it imports from', () => {
  const { entry, read } = find('', ['core', 'sandboxes']);
  assert.ok(isAbsolute(entry) && entry.endsWith('isolate-worker.ts') && existsSync(entry));
  const root = dirname(dirname(dirname(entry)));
  assert.deepEqual(
    read.map((path) => relative(root, path)),
    ['package.json', 'src/core', 'src/sandboxes'],
  );
});

test('a built file reads nothing but itself', () => {
  const entry = '/built/dist/sandboxes/isolate-worker.js';
  assert.deepEqual(find('useBuiltEntries("/built");', ['core']), {
    entry,
    read: ['/built/package.json', entry],
  });
});

// In a process of its own, because what is built holds for a whole process.
function find(before: string, folders: readonly string[]): EntryFiles {
  const module = JSON.stringify(sourceFile('src/core/entry-file.ts'));
  const call = `entryFiles("sandboxes/isolate-worker", ${JSON.stringify(folders)})`;
  const code = `import { entryFiles, useBuiltEntries } from ${module}; ${before} console.log(JSON.stringify(${call}));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    env: compileCache(),
  });
  return JSON.parse(out) as EntryFiles;
}
