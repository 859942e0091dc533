import assert from 'node:assert/strict';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../test/stress/stress.ts';
import { tree } from '../../test/support/tree.ts';
import { isMeantBy, isSearchMeantBy, mayHoldMeant, realParts, searchMayTouch } from './path-rule.ts';

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
  const textOf = (pieces: readonly string[], most: number): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: most }).map((chosen) => chosen.join(''));
  const specs = textOf(['a', 'b', '/', '/', '*', '**', '**/', '?', '[ab]', './'], 6);
  const paths = fc.array(textOf(['a', 'b'], 2), { minLength: 1, maxLength: 4 });
  const check = fc.property(specs, paths, (spec, names) => {
    fc.pre(isMeantBy(spec, names.join('/'), workspace));
    for (let depth = 0; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join('/') || '.';
      assert.ok(mayHoldMeant(spec, folder, workspace), `${spec} ${names.join('/')} ${folder}`);
    }
  });
  fc.assert(check, { numRuns: size({ small: 300, full: 50_000 }) });
});

/** Returns the target of a path, or undefined if it cannot be resolved. */
function resolvePath(path: string, workspace: string): unknown {
  const { parts, areAll } = realParts(path, workspace, (real) => real);
  assert.equal(areAll, parts.length === 1);
  return parts[0];
}

test('the place of a path is where its links lead, also of what is not there yet', () => {
  using files = tree({ 'private/key.txt': '', 'notes/a.md': '' });
  symlinkSync('../private/key.txt', files.at('notes/escape'));
  symlinkSync('..', files.at('notes/up'));
  symlinkSync('nowhere', files.at('notes/dangling'));
  const cases: readonly (readonly [string, string])[] = [
    ['notes/a.md', 'notes/a.md'],
    [files.at('notes/a.md'), 'notes/a.md'],
    ['notes/../notes//a.md', 'notes/a.md'],
    ['notes/escape', 'private/key.txt'],
    ['notes/up', '.'],
    ['.', '.'],
    ['notes/up/private/key.txt', 'private/key.txt'],
    ['notes/up/private/new/file', 'private/new/file'],
    ['notes/up/../a.md', 'notes/a.md'],
    ['notes/new/file', 'notes/new/file'],
    ['notes/dangling', 'notes/dangling'],
    ['notes/a.md/below', 'notes/a.md/below'],
  ];
  for (const [path, real] of cases) assert.equal(resolvePath(path, files.path), real, path);
});

test('the place of a path is relative to the real workspace, and absolute outside of it', () => {
  using files = tree({ 'real/a': '', 'link/x': '' });
  mkdirSync(files.at('given'));
  symlinkSync('../real', files.at('given/link'));
  symlinkSync('../link', files.at('real/out'));
  const workspace = files.at('given/link');
  assert.equal(resolvePath('a', workspace), 'a');
  assert.equal(resolvePath(`${workspace}/a`, workspace), 'a');
  assert.equal(resolvePath('new', workspace), 'new');
  assert.equal(resolvePath('out/x', workspace), files.at('link/x'));
  assert.equal(resolvePath('../x', workspace), files.at('given/x'));
});

test('a path that cannot be followed has no place, and never throws', () => {
  using files = tree();
  symlinkSync('loop', files.at('loop'));
  for (const path of ['loop', 'loop/a', 'nul\0', 'a'.repeat(5000)])
    assert.equal(resolvePath(path, files.path), undefined, path.slice(0, 20));
  assert.equal(resolvePath('a', ''), undefined);
  assert.equal(resolvePath('a', files.at('gone')), undefined);
});

test('a hard link is a place of its own', () => {
  using files = tree({ 'private/key.txt': '' });
  linkSync(files.at('private/key.txt'), files.at('same'));
  assert.equal(resolvePath('same', files.path), 'same');
});

test('a search of a folder may touch all below it, one of a file only that file', () => {
  using files = tree({ 'src/a.ts': '', 'src/.env': '' });
  const mayTouch = (spec: string, path: string): boolean => searchMayTouch(spec, path, files.path);
  assert.equal(mayTouch('.env', 'src'), true);
  assert.equal(mayTouch('.env', 'src/.env'), true);
  assert.equal(mayTouch('.env', 'src/a.ts'), false);
  assert.equal(mayTouch('.env', files.at('src/a.ts')), false);
  assert.equal(mayTouch('src/**', 'src/a.ts'), true);
});

test('what cannot be looked at counts as a folder', () => {
  using files = tree();
  symlinkSync('loop', files.at('loop'));
  for (const path of ['missing', 'loop', 'loop/a', 'nul\0'])
    assert.equal(searchMayTouch('.env', path, files.path), true, path);
});
