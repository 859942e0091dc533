import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { test } from 'node:test';
import { entryFile } from './entry-file.ts';

test('a file that is started by its path is found among the sources', () => {
  const file = entryFile('models/minilm-worker');
  assert.ok(isAbsolute(file) && file.endsWith('minilm-worker.ts'));
  assert.ok(existsSync(file));
});
