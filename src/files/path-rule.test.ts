import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../test/stress/stress.ts';
import { isMeantBy, isSearchMeantBy, mayHoldMeant } from './path-rule.ts';

const { size } = openLoops(import.meta);

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

test('a folder could hold what a rule means when their paths overlap', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['private/**', '.', true],
    ['private/**', workspace, true],
    ['private/**', 'private', true],
    ['private/**', 'private/deep', true],
    ['private/**', 'src', false],
    ['private/**', 'src/private', false],
    ['private/keys/*.pem', 'private', true],
    ['private/keys/*.pem', 'private/keys', true],
    ['private/keys/*.pem', 'private/other', false],
    ['p*/keys/', 'private', true],
    ['p*/keys/', 'src', false],
    ['/private/', 'private', true],
    ['/private/', 'private/deep', true],
    ['/private', '.', true],
    ['/private', 'src', false],
    ['./private', 'src', false],
    ['packages/*/private', 'packages/a', true],
    ['packages/*/private', 'packages/a/src', false],
    ['a/**/private', 'a/b/c', true],
    ['a/**/private', 'b', false],
    ['**/private/**', 'src/deep', true],
    ['.env', 'src', true],
    ['*.pem', '.', true],
    ['private/', 'src', true],
    ['private/**', '..', false],
    ['**', '/etc', false],
    ['//etc/**', '.', false],
    ['!private/**', '.', false],
  ];
  for (const [spec, folder, expected] of cases) {
    assert.equal(mayHoldMeant(spec, folder, workspace), expected, `${spec} ${folder}`);
  }
});

test('no rule means a path that none of the folders around it could hold', () => {
  const words = (letters: readonly string[], most: number): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: most }).map((chosen) => chosen.join(''));
  const specs = words(['a', 'b', '/', '/', '*', '**', '**/', '?', '[ab]', './'], 6);
  const paths = fc.array(words(['a', 'b'], 2), { minLength: 1, maxLength: 4 });
  const check = fc.property(specs, paths, (spec, names) => {
    fc.pre(isMeantBy(spec, names.join('/'), workspace));
    for (let depth = 0; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join('/') || '.';
      assert.ok(mayHoldMeant(spec, folder, workspace), `${spec} ${names.join('/')} ${folder}`);
    }
  });
  fc.assert(check, { numRuns: size({ small: 300, full: 50_000 }) });
});
