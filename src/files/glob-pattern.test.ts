import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { globPattern, type ReachedStates } from './glob-pattern.ts';

function isGlobMatch(pattern: string, path: string, hidden = false): boolean {
  const glob = globPattern(pattern, hidden);
  const names = path.split('/');
  const folder = names
    .slice(0, -1)
    .reduce<ReachedStates>((state, name) => glob.enter(state, name), glob.start);
  return glob.fits(folder, names.at(-1) ?? '');
}

const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['*.ts', ['a.ts', 'ü.ts'], ['a.js', 'a/b.ts', '.a.ts', 'a.tsx']],
  ['**/*.ts', ['a.ts', 'a/b.ts', 'a/b/c.ts'], ['a.js', '.a/b.ts', 'a/.b.ts']],
  ['src/**', ['src/a', 'src/a/b'], ['src', 'a/src/b', 'srcs/a', 'src/.a', 'src/.a/b']],
  ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['a.ts', 'lib/src/a.ts']],
  ['**', ['a', 'a/b/c'], ['.a', '.git/x']],
  ['**/a/**/b', ['a/b', 'x/a/y/z/b'], ['a', 'b', 'a/x']],
  ['a**b', ['ab', 'axxb'], ['a/b', 'ax/xb']],
  ['?.md', ['a.md', '🚀.md'], ['.md', 'ab.md']],
  ['[a-c]x', ['ax', 'cx'], ['dx', '/x', 'x']],
  ['[!a]x', ['bx'], ['ax', 'b/x']],
  ['{a,b}.md', ['a.md', 'b.md'], ['c.md', '{a,b}.md', 'ab.md']],
  ['{src,test}/**/*.{ts,js}', ['src/a.ts', 'test/x/y.js'], ['lib/a.ts', 'src/a.md']],
  ['{a,b/{c,d}}/x', ['a/x', 'b/c/x', 'b/d/x'], ['b/x', 'c/x']],
  ['{**/,}a', ['a', 'x/a'], ['ab']],
  ['a{,b}', ['a', 'ab'], ['b']],
  ['a{b', ['a{b'], ['ab']],
  ['a}b,c', ['a}b,c'], ['ab']],
  ['[', ['['], ['a']],
  ['a[b', ['a[b'], ['ab']],
  ['\\*', ['*'], ['a', '\\a']],
  ['\\{a,b}', ['{a,b}'], ['a']],
  ['./a', ['a'], ['./a']],
  ['.github/*', ['.github/a'], ['.github/.a', 'github/a']],
  ['**/.env', ['.env', 'a/.env'], ['.a/.env', 'env']],
  ['a/', [], ['a', 'a/b']],
  ['', [], ['a']],
  ['.*', ['.a'], ['a']],
];

describe('a glob', () => {
  for (const [pattern, fitting, others] of cases) {
    test(JSON.stringify(pattern), () => {
      for (const path of fitting) assert.ok(isGlobMatch(pattern, path), `${path} should fit`);
      for (const path of others) assert.ok(!isGlobMatch(pattern, path), `${path} should not fit`);
    });
  }

  test('may take hidden names for others', () => {
    assert.ok(isGlobMatch('**/*.yml', '.github/.x/a.yml', true));
    assert.ok(isGlobMatch('*', '.env', true));
  });

  test('that leads out of its folder, is absolute or very long is refused', () => {
    for (const pattern of ['../a', 'a/../../b', '/etc/*', 'a'.repeat(1001)]) {
      assert.throws(() => globPattern(pattern), { code: 'usage.bad-input' });
    }
  });

  test('takes no time that grows with its stars and braces', () => {
    const deep = `${'a/'.repeat(300)}a`;
    const long = 'a'.repeat(250);
    const nested = `${'{a,'.repeat(150)}b${'}'.repeat(150)}`;
    for (const pattern of ['**/'.repeat(300) + 'b', '**/a/'.repeat(150) + 'b', '{a,b}/'.repeat(150) + 'c']) {
      assert.equal(isGlobMatch(pattern, deep), false);
    }
    for (const pattern of [
      '*a'.repeat(400) + 'b',
      '{a,aa}'.repeat(150) + 'b',
      '{a,{b,{c'.repeat(100),
      '{a,'.repeat(300),
    ]) {
      assert.equal(isGlobMatch(pattern, long), false);
    }
    assert.equal(isGlobMatch(nested, 'b'), true);
    assert.equal(isGlobMatch('{{{{a,b},{c,d}},{{e,f},{g,h}}}}{1,2}{3,4}', 'h24'), true);
  });
});
