import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { isMarkdown, readListing } from './listing.ts';

test('a listing sorts names by what they are and leaves the rest out', () => {
  using files = tree({
    'z/x': '',
    'B/x': '',
    'a-b/x': '',
    '.hidden/x': '',
    'node_modules/x': '',
    'two.md': '',
    'One.MD': '',
    '.gitignore': '',
    '.ignore': '',
    '.npmrc': '',
    '.hidden.md': '',
    'script.js': '',
    md: '',
  });
  mkdirSync(files.at('folder.md'));
  symlinkSync('z', files.at('link'));
  symlinkSync('nowhere', files.at('broken.md'));
  symlinkSync('z', files.at('.link'));
  execFileSync('mkfifo', [files.at('pipe.md'), files.at('pipe'), files.at('.pipe.md')]);
  assert.deepEqual(readListing(files.path), {
    dirs: ['B', 'a-b', 'folder.md', 'z'],
    files: ['.gitignore', '.ignore', 'One.MD', 'two.md'],
    links: ['broken.md', 'link'],
    odd: ['pipe.md'],
  });
});

test('a listing of what is no folder throws what the file system throws', () => {
  using files = tree({ file: '' });
  assert.throws(() => readListing(files.at('missing')), { code: 'ENOENT' });
  assert.throws(() => readListing(files.at('file')), { code: 'ENOTDIR' });
});

test('an ignore file that is no file is not listed', () => {
  using files = tree({ 'a/.gitignore/x': '', 'b/x': '' });
  symlinkSync('../a', files.at('b/.gitignore'));
  execFileSync('mkfifo', [files.at('b/.ignore')]);
  const nothing = { dirs: [], files: [], links: [], odd: [] };
  assert.deepEqual([readListing(files.at('a')), readListing(files.at('b'))], [nothing, nothing]);
});

test('Markdown is told by the end of the name in any case', () => {
  assert.deepEqual(
    ['a.md', 'A.MD', '.md', 'a.mdx', 'a.md.txt', 'amd', 'a.Md'].filter((name) => isMarkdown(name)),
    ['a.md', 'A.MD', '.md', 'a.Md'],
  );
});
