import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openLoops } from '../../../test/stress/stress.ts';
import { look, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree } from '../../../test/support/tree.ts';

const widths = { small: 600, full: 100_000 };
const { createLoop } = openLoops(import.meta);

/** Declares a test for every width that there is time for. */
function testWidths(name: string, check: (width: number) => void): void {
  const loop = createLoop(widths);
  test(name, async () => {
    await loop.sizes(check);
  });
}

/** Limits that a folder with this many entries exceeds. */
function limitsFor(width: number) {
  return { maxFoldersPerRoot: width / 2, maxCandidatesPerRoot: width / 5 };
}

describe('a tree that is too large ends within the limits with one finding', () => {
  test('a thousand folders in each other', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    const deep = files.at('skills', ...Array.from({ length: 1_000 }, () => 'd'));
    mkdirSync(deep, { recursive: true });
    writeFileSync(`${deep}/SKILL.md`, skillText('deep'));
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, [`scan.limit skills/${'d/'.repeat(16)}d`]);
    const all = look(files.path, [skillsAt(files.at('skills'))], { limits: { maxDepth: 1_000 } });
    assert.deepEqual([all.files.length, all.diagnostics], [2, []]);
  });

  testWidths('more folders beside each other than are opened', (width) => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    const limits = limitsFor(width);
    for (let index = 0; index < width; index++) mkdirSync(files.at('skills', `folder-${index}`));
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))], { limits });
    assert.deepEqual(paths, ['skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.limit skills']);
  });

  testWidths('more loose files than are taken', (width) => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    const limits = limitsFor(width);
    for (let index = 0; index < width; index++) writeFileSync(files.at('skills', `loose-${index}.md`), '');
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))], { limits });
    assert.equal(paths.length, limits.maxCandidatesPerRoot);
    assert.deepEqual(diagnostics, ['scan.limit skills']);
  });
});

describe('a tree full of links takes time in proportion', () => {
  testWidths('links to one folder', (width) => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/.store/b/SKILL.md': skillText('b') });
    for (let index = 0; index < width; index++) symlinkSync('.store/b', files.at('skills', `link-${index}`));
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md', 'skills/link-0/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  testWidths('links from every folder to every other', (width) => {
    const size = Math.round(Math.sqrt(width));
    using files = tree();
    for (let from = 0; from < size; from++) {
      mkdirSync(files.at('skills', `g${from}`, 'skill'), { recursive: true });
      writeFileSync(files.at('skills', `g${from}`, 'skill', 'SKILL.md'), skillText(`s${from}`));
      for (let to = 0; to < size; to++) symlinkSync(`../g${to}`, files.at('skills', `g${from}`, `to-${to}`));
    }
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.equal(paths.length, size);
    assert.ok(paths.every((file) => /^skills\/g\d+\/skill\/SKILL\.md$/.test(file)));
    assert.deepEqual(diagnostics, []);
  });
});
