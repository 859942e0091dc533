import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appliesTo } from './applies-to.ts';

for (const [pattern, file, isMeant] of [
  ['**/*.test.ts', 'src/a.test.ts', true],
  ['**/*.test.ts', 'a.test.ts', true],
  ['*.test.ts', 'src/deep/a.test.ts', true],
  ['*.test.ts', 'src/a.ts', false],
  ['src/**', 'src/deep/a.ts', true],
  ['src/**', 'other/src/a.ts', false],
  ['/src/*.ts', 'src/a.ts', true],
  ['./src/*.ts', '/work/src/a.ts', true],
  ['src/*.ts', '/elsewhere/src/a.ts', false],
  ['src/*.ts', '../src/a.ts', false],
  ['docs/**/*.{md,mdx}', 'docs/deep/a.mdx', true],
  ['docs/', 'docs/a.md', true],
  ['docs/', 'site/docs/a.md', true],
  ['.github/**', '.github/workflows/ci.yml', true],
  ['..', 'a', false],
  ['', 'a', false],
] as const) {
  test(`${JSON.stringify(pattern)} ${isMeant ? 'means' : 'does not mean'} ${file}`, () => {
    assert.equal(appliesTo([pattern], [file], '/work'), isMeant);
  });
}
