import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ignoredByGit } from '../../test/support/git.ts';
import { tree } from '../../test/support/tree.ts';
import { isMatch, patternOf } from './ignore-pattern.ts';

// prettier-ignore
const patterns = [
  'a', 'b/', '/a', 'a/b', '/a/b/', 'a/b/c', '*', '/*', '*/', '?', '??', '*.md', 'a*', '*a*b*', '.*',
  '**', '/**', '**/', '**/a', 'a/**', 'a/**/', 'a/**/c', '**/b/**', '/**/c', '***', 'a/***/c', '**/**/c',
  'a*/b', '*/b', '?/?', 'a/*', 'a/*/c', '*/*/*', 'a**b', 'x**', '**x',
  '[ab]', '[!a]', '[^a]', '[a-c]', '[!a-b]x', '[]]', '[]a]', '[!]]', '[a-]', '[-a]', '[a-b-c]', '[c-a]',
  '[[:alpha:]]', '[[:digit:]x]', '[![:alpha:]]', '[[:upper:][:digit:]]', '[[:nonsense:]]', '[[:space:]]',
  '[[:punct:]]', '[[:alnum:]]?', '[[:lower:]]*', '[[:xdigit:]]', '[[:blank:]]', '[[:print:]]', '[[:graph:]]',
  '[[:cntrl:]]', '[[:a]', '[[:]', '[\\]]', '[\\\\]', '[a\\-c]', '[a', '[', ']', '[]', '[!', 'a[', 'a[b/c]d', '[a/b]',
  '\\a', '\\*', '\\?', '\\[', '\\\\', 'a\\', '\\', '\\#a', '\\!a', '#a', '!a', '!', '/', '//', 'a//', '//a',
  'a ', 'a\\ ', 'a\\  ', 'a\\\\ ', ' a', 'a b', ' ', '\\ ', 'a\t', 'a\r', '{a,b}', 'a.md', 'A', 'é', '\ufeffa',
];
// prettier-ignore
const names = [
  'a', 'b', 'c', 'ab', 'ba', 'aab', 'axb', 'a.md', '.md', '.a', 'A', 'B', '1', 'x', 'ax', 'bx', 'cx', 'xx',
  '*', '?', '[', ']', '\\', '!', '!a', '#a', '-', '{a,b}', 'a ', 'a  ', ' a', 'a b', ' ', 'a\t', '_', '\x01',
  'a/b', 'b/a', 'a/c', 'a/b/c', 'a/x/c', 'a/x/y/c', 'b/c', 'a/b/c/a', 'c/b/a/b', 'a[', 'a[b', 'abd', 'a/bd',
];

describe('a line of an ignore file', () => {
  test('means what it means to git', () => {
    using files = tree(Object.fromEntries(patterns.map((line, index) => [`${index}/.gitignore`, line])));
    const paths = patterns.flatMap((_, index) => names.map((name) => `${index}/${name}`));
    const git = ignoredByGit(files.path, paths);
    for (const [index, line] of patterns.entries()) {
      const ours = names.filter((name) => isIgnoredBy(line, name));
      const own = names.filter((name) => git.has(`${index}/${name}`));
      assert.deepEqual(ours, own, JSON.stringify(line));
    }
  });

  test('for folders fits folders only', () => {
    const pattern = patternOf('a/')!;
    assert.equal(isMatch(pattern, ['a'], true), true);
    assert.equal(isMatch(pattern, ['a'], false), false);
    assert.equal(isMatch(pattern, ['x', 'a'], true), true);
  });

  test('may take characters of any size as one', () => {
    assert.equal(isMatch(patternOf('?.md')!, ['🚀.md'], false), true);
  });

  test('with a class that nobody knows fits nothing, also where every object has a member of that name', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'nothing'])
      assert.equal(patternOf(`[[:${name}:]]`), undefined);
  });

  test('takes no time that grows with its stars', () => {
    const long = 'a'.repeat(250);
    const deep = Array.from({ length: 500 }, () => 'a');
    for (const line of ['*a'.repeat(60) + 'b', '*?'.repeat(60) + 'b', '*[ab]'.repeat(60) + 'b']) {
      assert.equal(isMatch(patternOf(line)!, [long], false), false);
    }
    assert.equal(isMatch(patternOf('**/a/'.repeat(60) + 'b')!, deep, false), false);
  });
});

/** Whether one line ignores a path whose files do not exist, so that only the folders on the way are folders. */
function isIgnoredBy(line: string, path: string): boolean {
  const pattern = patternOf(line.replace(/^\ufeff|\r$/g, ''));
  if (pattern === undefined || pattern.isNegated) return false;
  const parts = path.split('/');
  return parts.some((_, index) => isMatch(pattern, parts.slice(0, index + 1), index < parts.length - 1));
}
