import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { look, scanOptions, skillsAt } from '../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import type { Issue } from '../core/issue.ts';
import { discover } from './discover/discover.ts';
import { defaultSkillLimits, type SkillLimits } from './limits.ts';

/** Creates a root with this many bundles. */
function bundles(count: number, root = 'skills'): Tree {
  const names = Array.from({ length: count }, (_, index) => `skill-${String(index).padStart(4, '0')}`);
  return tree(Object.fromEntries(names.map((name) => [`${root}/${name}/SKILL.md`, skillText(name)])));
}

/** Returns the number of descriptors that are found under these limits, and the issues. */
function count(files: Tree, limits: Partial<SkillLimits>): [number, readonly Issue[]] {
  const { found, issues } = look(files.path, [skillsAt(files.at('skills'))], { limits });
  return [found.length, issues];
}

/** Checks that exactly one issue reports the limit and how to raise it. */
function assertBitten(issues: readonly Issue[], limit: keyof SkillLimits, most: number): void {
  assert.deepEqual(
    issues.map(({ level, code }) => `${level} ${code}`),
    ['warning scan.limit'],
  );
  assert.match(issues[0]?.message ?? '', new RegExp(`\\b${most}\\b`));
  assert.match(issues[0]?.hint ?? '', new RegExp(`Raise limits\\.${limit}`));
}

test('the limits are those of the specification', () => {
  assert.deepEqual(defaultSkillLimits, {
    descriptorBytes: 256_000,
    frontmatterBytes: 65_536,
    frontmatterKeys: 200,
    frontmatterDepth: 8,
    maxCandidatesPerRoot: 200_000,
    maxSkillsPerSource: 200_000,
    maxFoldersPerRoot: 400_000,
    maxDepth: 16,
  });
});

describe('maxCandidatesPerRoot', () => {
  test('allows exactly as many descriptors', () => {
    using files = bundles(300);
    assert.deepEqual(count(files, { maxCandidatesPerRoot: 300 }), [300, []]);
  });

  test('leaves out the rest of the root, and says so once', () => {
    using files = bundles(302);
    const [found, issues] = count(files, { maxCandidatesPerRoot: 300 });
    assert.equal(found, 300);
    assertBitten(issues, 'maxCandidatesPerRoot', 300);
    assert.equal(issues[0]?.file, files.at('skills'));
  });

  test('counts each file once, and each root for itself', () => {
    using files = bundles(3);
    files.write('more/a/SKILL.md', skillText('a'));
    files.write('more/b/SKILL.md', skillText('b'));
    symlinkSync('skill-0000', files.at('skills/again'));
    symlinkSync('../skills/skill-0001', files.at('more/again'));
    const roots = [skillsAt(files.at('skills')), skillsAt(files.at('more'))];
    const { found, issues } = look(files.path, roots, { limits: { maxCandidatesPerRoot: 3 } });
    assert.deepEqual([found.length, issues], [5, []]);
  });

  test('counts loose files and linked descriptors too', () => {
    using files = tree({ 'skills/a.md': skillText('a'), 'skills/b.md': skillText('b'), 'store/c.md': '' });
    symlinkSync('../store/c.md', files.at('skills/c.md'));
    const options = { allowSymlinkTargets: [files.at('store')], limits: { maxCandidatesPerRoot: 2 } };
    const { files: paths, issues } = look(files.path, [skillsAt(files.at('skills'))], options);
    assert.deepEqual(paths, ['skills/a.md', 'skills/b.md']);
    assertBitten(issues, 'maxCandidatesPerRoot', 2);
  });
});

describe('maxFoldersPerRoot', () => {
  test('allows exactly as many folders, the root included', () => {
    using files = bundles(9);
    assert.deepEqual(count(files, { maxFoldersPerRoot: 10 }), [9, []]);
  });

  test('leaves out the rest of the root, and says so once', () => {
    using files = bundles(12);
    const [found, issues] = count(files, { maxFoldersPerRoot: 10 });
    assert.equal(found, 9);
    assertBitten(issues, 'maxFoldersPerRoot', 10);
  });

  test('is not reached by links to folders already seen', () => {
    using files = bundles(9);
    for (let index = 0; index < 20; index++) symlinkSync('skill-0000', files.at(`skills/again-${index}`));
    assert.deepEqual(count(files, { maxFoldersPerRoot: 10 }), [9, []]);
  });

  test('lets a folder with too many folders hide nothing beside it', () => {
    const many = Array.from({ length: 50 }, (_, index): [string, string] => [`skills/aaa/${index}/x`, '']);
    using files = tree({ ...Object.fromEntries(many), 'skills/zzz/good/SKILL.md': skillText('good') });
    const { files: paths, issues } = look(files.path, [skillsAt(files.at('skills'))], {
      limits: { maxFoldersPerRoot: 60 },
    });
    assert.deepEqual(paths, ['skills/zzz/good/SKILL.md']);
    assert.deepEqual(issues, []);
    const less = look(files.path, [skillsAt(files.at('skills'))], { limits: { maxFoldersPerRoot: 20 } });
    assertBitten(less.issues, 'maxFoldersPerRoot', 20);
  });
});

describe('maxDepth', () => {
  const deep = (depth: number): string => `${'d/'.repeat(depth - 1)}skill`;

  test('allows exactly that depth: sixteen folders below the root', () => {
    using files = tree({ [`skills/${deep(16)}/SKILL.md`]: skillText('deep') });
    assert.deepEqual(count(files, {}), [1, []]);
  });

  test('leaves out what is deeper, and says so', () => {
    using files = tree({
      [`skills/${deep(17)}/SKILL.md`]: skillText('deep'),
      'skills/a/SKILL.md': skillText('a'),
    });
    const [found, issues] = count(files, {});
    assert.equal(found, 1);
    assertBitten(issues, 'maxDepth', 16);
    assert.equal(issues[0]?.file, files.at('skills', deep(17)));
  });

  test('is said once for all folders that are too deep', () => {
    using files = tree({ 'skills/a/b/1': '', 'skills/a/c/1': '', 'skills/a/d/e/1': '', 'skills/z/b/1': '' });
    const [, issues] = count(files, { maxDepth: 1 });
    assertBitten(issues, 'maxDepth', 1);
    assert.match(issues[0]?.message ?? '', /\b3 more folders\b/);
    assert.equal(issues[0]?.file, files.at('skills/a/b'));
  });

  test('does not speak of folders that are ignored, hidden or in a bundle', () => {
    using files = tree({
      'skills/.gitignore': 'out\n',
      'skills/a/out/1': '',
      'skills/a/.git/1': '',
      'skills/a/node_modules/1': '',
      'skills/b/SKILL.md': skillText('b'),
      'skills/b/scripts/1': '',
    });
    assert.deepEqual(count(files, { maxDepth: 1 }), [1, []]);
  });

  test('counts the path through a link', () => {
    using files = tree({ 'skills/a/b/x': '', 'skills/.store/c/SKILL.md': skillText('c') });
    symlinkSync('../../.store/c', files.at('skills/a/b/link'));
    assert.deepEqual(count(files, { maxDepth: 3 }), [1, []]);
    const [found, issues] = count(files, { maxDepth: 2 });
    assert.equal(found, 0);
    assertBitten(issues, 'maxDepth', 2);
    assert.equal(issues[0]?.file, files.at('skills/a/b/link'));
  });

  test('does not speak of a folder that a link makes reachable', () => {
    using files = tree({ 'skills/a/b/c/SKILL.md': skillText('c') });
    symlinkSync('a/b/c', files.at('skills/short'));
    const { files: paths, issues } = look(files.path, [skillsAt(files.at('skills'))], {
      limits: { maxDepth: 2 },
    });
    assert.deepEqual([paths, issues], [['skills/short/SKILL.md'], []]);
  });
});

describe('maxSkillsPerSource', () => {
  const discoverIn = (
    files: Tree,
    most: number,
    ...roots: readonly string[]
  ): { readonly names: readonly string[]; readonly issues: readonly Issue[] } => {
    const options = scanOptions({ limits: { maxSkillsPerSource: most } });
    const { discovered, issues } = discover(
      roots.map((root) => skillsAt(files.at(root), root === 'project' ? 'project' : 'user')),
      options,
    );
    return { names: discovered.map(({ found }) => found.stem), issues };
  };

  test('allows exactly as many skills', () => {
    using files = bundles(200, 'one');
    const { names, issues } = discoverIn(files, 200, 'one');
    assert.deepEqual([names.length, issues], [200, []]);
  });

  test('leaves out the rest of the source, and says so once', () => {
    using files = bundles(203, 'one');
    const { names, issues } = discoverIn(files, 200, 'one');
    assert.deepEqual([names.length, names.at(-1)], [200, 'skill-0199']);
    assertBitten(issues, 'maxSkillsPerSource', 200);
    assert.equal(issues[0]?.file, files.at('one'));
  });

  test('counts all roots of a source together, and each source for itself', () => {
    using files = tree({
      'one/a/SKILL.md': skillText('a'),
      'one/b/SKILL.md': skillText('b'),
      'two/c/SKILL.md': skillText('c'),
      'two/d/SKILL.md': skillText('d'),
      'project/e/SKILL.md': skillText('e'),
    });
    const { names, issues } = discoverIn(files, 3, 'project', 'one', 'two');
    assert.deepEqual(names, ['e', 'a', 'b', 'c']);
    assertBitten(issues, 'maxSkillsPerSource', 3);
    assert.equal(issues[0]?.file, files.at('two'));
  });

  test('does not count what is invalid', () => {
    using files = tree({
      'one/a/SKILL.md': '',
      'one/b/SKILL.md': '',
      'one/c/SKILL.md': skillText('c'),
      'one/d/SKILL.md': '',
    });
    const { names, issues } = discoverIn(files, 1, 'one');
    assert.deepEqual([names, issues], [['a', 'b', 'c', 'd'], []]);
  });
});
