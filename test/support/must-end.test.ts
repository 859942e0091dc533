import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const mustEnd = join(import.meta.dirname, 'must-end.ts');

function run(script: string): { readonly code: number | null; readonly err: string } {
  const words = `import { mustEnd } from ${JSON.stringify(mustEnd)};\n${script}`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', words], {
    encoding: 'utf8',
  });
  return { code: status, err: stderr };
}

test('a process that something keeps alive says what, and fails', () => {
  const { code, err } = run('setInterval(() => {}, 10); mustEnd(0.1);');
  assert.equal(code, 1);
  assert.match(err, /0\.1 s after its last test it is kept alive by: Timeout\.\n/);
});

test('a process that nothing keeps alive does not wait for that', () => {
  assert.deepEqual(run('mustEnd(600);'), { code: 0, err: '' });
});
