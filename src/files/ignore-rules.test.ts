import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ignoredByGit } from '../../test/support/git.ts';
import { look, skillsAt } from '../../test/support/look.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { isMatch, patternOf } from './ignore-rules.ts';

/** Returns the skills of a root with these ignore files and a bundle in each of these folders. */
function shown(ignore: Readonly<Record<string, string>>, folders: readonly string[]): readonly string[] {
  const bundles = folders.map((folder): [string, string] => [`skills/${folder}/SKILL.md`, skillText('x')]);
  using files = tree({ ...ignore, ...Object.fromEntries(bundles) });
  const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
  assert.deepEqual(diagnostics, []);
  return paths.map((file) => file.slice('skills/'.length, -'/SKILL.md'.length));
}

describe('an ignore file', () => {
  test('hides folders below it', () => {
    assert.deepEqual(shown({ 'skills/.gitignore': 'venv\n' }, ['venv/bad', 'a/venv/bad', 'good']), ['good']);
    assert.deepEqual(shown({ 'skills/.ignore': 'venv/\n' }, ['venv/bad', 'a/venv/bad', 'good']), ['good']);
  });

  test('hides only what is at an anchored path', () => {
    assert.deepEqual(shown({ 'skills/.gitignore': '/name\nx/y\n' }, ['a/name', 'name', 'x/y', 'b/x/y']), [
      'a/name',
      'b/x/y',
    ]);
  });

  test('in a folder speaks for everything below that folder, and nothing else', () => {
    assert.deepEqual(shown({ 'skills/a/.gitignore': 'name\n' }, ['a/name', 'a/b/c/name', 'name', 'd/name']), [
      'd/name',
      'name',
    ]);
  });

  test('nearer by takes back what one farther up says', () => {
    const ignore = { 'skills/.gitignore': 'name/\n', 'skills/a/.gitignore': '!name/\n' };
    assert.deepEqual(shown(ignore, ['a/name/x/y', 'a/name/z', 'b/name/x']), ['a/name/x/y', 'a/name/z']);
  });

  test('cannot take back a file in a folder that is hidden', () => {
    assert.deepEqual(shown({ 'skills/.gitignore': 'a/\n!a/b\n' }, ['a/b', 'c']), ['c']);
  });

  test('called .ignore comes after .gitignore', () => {
    const ignore = { 'skills/.gitignore': '*\n', 'skills/.ignore': '!good\n!SKILL.md\n' };
    assert.deepEqual(shown(ignore, ['good', 'bad']), ['good']);
    const other = { 'skills/.gitignore': '!good\n', 'skills/.ignore': 'good\n' };
    assert.deepEqual(shown(other, ['good', 'bad']), ['bad']);
  });

  test('may hide a descriptor, and then its folder is not a bundle', () => {
    assert.deepEqual(shown({ 'skills/.gitignore': '/a/SKILL.md\n' }, ['a', 'a/b']), ['a/b']);
  });

  test('above the root says nothing', () => {
    const ignore = { '.gitignore': 'skills\n', '.ignore': '*\n' };
    assert.deepEqual(shown(ignore, ['good']), ['good']);
  });

  test('is read with a byte order mark, with CR LF and without a last line end', () => {
    assert.deepEqual(shown({ 'skills/.gitignore': '\ufeffa\r\nb\r\nc' }, ['a', 'b', 'c', 'd']), ['d']);
  });

  test('that is a link or a FIFO is not read, as with git', () => {
    using files = tree({ rules: '*\n', 'skills/a/SKILL.md': skillText('a') });
    symlinkSync(files.at('rules'), files.at('skills/.gitignore'));
    execFileSync('mkfifo', [files.at('skills/.ignore')]);
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('speaks for linked folders by the path of the link', () => {
    using files = tree({
      'skills/.gitignore': 'linked/b\n',
      'skills/.store/a/SKILL.md': skillText('a'),
      'skills/.store/b/SKILL.md': skillText('b'),
    });
    symlinkSync('.store', files.at('skills/linked'));
    assert.deepEqual(look(files.path, [skillsAt(files.at('skills'))]).files, ['skills/linked/a/SKILL.md']);
  });
});

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

  test('with a class that is unknown fits nothing, also where every object has a member of that name', () => {
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

/** Whether one line ignores a path that does not exist. Only the parents of the path count as folders. */
function isIgnoredBy(line: string, path: string): boolean {
  const pattern = patternOf(line.replace(/^\ufeff|\r$/g, ''));
  if (pattern === undefined || pattern.isNegated) return false;
  const parts = path.split('/');
  return parts.some((_, index) => isMatch(pattern, parts.slice(0, index + 1), index < parts.length - 1));
}
