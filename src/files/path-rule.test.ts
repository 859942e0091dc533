import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMeantBy, isSearchMeantBy } from './path-rule.ts';

const workspace = '/home/me/project';

test('a rule means paths as an ignore file at the top of the workspace would', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src', false],
    ['src/**', 'lib/src/a', false],
    ['src', 'src/a/b.ts', true],
    ['src/', 'src/a', true],
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/a/b.md', false],
    ['*.env', 'a/b/prod.env', true],
    ['/a', 'a', true],
    ['/a', 'b/a', false],
    ['./a', 'a', true],
    ['./a', 'b/a', false],
    ['**', 'a/b', true],
    ['src/**', './src/../src//a', true],
    ['src/**', 'src/../secret/a', false],
    ['src/**', `${workspace}/src/a`, true],
    ['src/**', '/elsewhere/src/a', false],
    ['**', '../a', false],
    ['**', '/etc/passwd', false],
    ['//etc/**', '/etc/passwd', false],
    ['!src/**', 'lib/a', false],
    ['', 'a', false],
    ['~/**', '~/a', true],
    ['..a', '..a', true],
  ];
  for (const [spec, path, expected] of cases) {
    assert.equal(isMeantBy(spec, path, workspace), expected, `${spec} ${path}`);
  }
});

test('a rule means a search when everything that is searched is meant', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['src/**', 'src', true],
    ['src/**', 'src/a', true],
    ['src/**', 'lib/src', false],
    ['src/**', '.', false],
    ['src/*', 'src', true],
    ['src', 'src', true],
    ['src/', 'src', true],
    ['src/', 'lib/src', true],
    ['src/*.md', 'src', false],
    ['src/?', 'src', false],
    ['src/*.md', 'src/a.md', true],
    ['**', '.', true],
    ['*', '.', true],
    ['*.md', '.', false],
    ['**', '..', false],
  ];
  for (const [spec, path, expected] of cases) {
    assert.equal(isSearchMeantBy(spec, path, workspace), expected, `${spec} ${path}`);
  }
});
