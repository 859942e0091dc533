import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import type { Family } from '../../core/family.ts';
import { builtinFamilies } from '../../families/index.ts';
import { descriptorsOf, isMarkdown, readListing } from './listing.ts';

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

test('a listing of what is not a folder throws what the file system throws', () => {
  using files = tree({ file: '' });
  assert.throws(() => readListing(files.at('missing')), { code: 'ENOENT' });
  assert.throws(() => readListing(files.at('file')), { code: 'ENOTDIR' });
});

test('an ignore file that is not a file is not listed', () => {
  using files = tree({ 'a/.gitignore/x': '', 'b/x': '' });
  symlinkSync('../a', files.at('b/.gitignore'));
  execFileSync('mkfifo', [files.at('b/.ignore')]);
  const nothing = { dirs: [], files: [], links: [], odd: [] };
  assert.deepEqual([readListing(files.at('a')), readListing(files.at('b'))], [nothing, nothing]);
});

test('Markdown is recognised by the end of the name, in any case', () => {
  assert.deepEqual(
    ['a.md', 'A.MD', '.md', 'a.mdx', 'a.md.txt', 'amd', 'a.Md'].filter((name) => isMarkdown(name)),
    ['a.md', 'A.MD', '.md', 'a.Md'],
  );
});

test('each family is asked for its descriptor', () => {
  const { byFile, byFolder, loose } = descriptorsOf(builtinFamilies);
  assert.deepEqual(
    [...byFile].map(([key, { family, file }]) => `${key} ${file} ${family.id}`),
    [
      'skill.md SKILL.md agent-skill',
      'dcgskill.md dcgskill.md dynamic-code',
      'cskill.md cskill.md code-skill',
      'mskill.md mskill.md mcp',
      'oskill.md oskill.md orchestrator',
      'tskill.md tskill.md table',
    ],
  );
  assert.deepEqual(
    [...byFolder].map(([folder, { id }]) => `${folder} ${id}`),
    ['agents subagent'],
  );
  assert.equal(loose?.id, 'agent-skill');
});

test('the earlier family wins a name that two claim, whatever its letter case', () => {
  const [first] = builtinFamilies;
  assert.ok(first !== undefined);
  const rival = (descriptor: Family['descriptor'] & object): Family => ({
    ...first,
    id: 'rival',
    descriptor,
  });
  const families = [
    ...builtinFamilies,
    rival({ file: 'skill.MD', loose: true }),
    rival({ folder: 'agents' }),
    rival({ file: 'Rival.md' }),
  ];
  const { byFile, byFolder, loose } = descriptorsOf(families);
  assert.equal(byFile.get('skill.md')?.file, 'SKILL.md');
  assert.equal(byFile.get('rival.md')?.family.id, 'rival');
  assert.equal(byFolder.get('agents')?.id, 'subagent');
  assert.equal(loose?.id, 'agent-skill');
});
