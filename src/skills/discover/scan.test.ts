import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { agentsAt, look, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { bareDisk, type ScanDisk } from './scan-state.ts';
import { defaultSkillLimits } from '../limits.ts';
import { readListing, type Listing } from './listing.ts';

describe('the walk', () => {
  test('finds bundles at any depth', () => {
    using files = tree({
      'skills/a/SKILL.md': skillText('a'),
      'skills/group/b/SKILL.md': skillText('b'),
      'skills/group/sub/c/SKILL.md': skillText('c'),
      'skills/group/notes.txt': '',
    });
    const { found, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(
      found.map(({ dir, stem, group, loose }) => ({ dir, stem, group, loose })),
      [
        { dir: files.at('skills/a'), stem: 'a', group: '', loose: false },
        { dir: files.at('skills/group/b'), stem: 'b', group: 'group', loose: false },
        { dir: files.at('skills/group/sub/c'), stem: 'c', group: 'group/sub', loose: false },
      ],
    );
    assert.deepEqual(diagnostics, []);
  });

  test('stops at a bundle, whatever is below it', () => {
    using files = tree({
      'skills/outer/SKILL.md': skillText('outer'),
      'skills/outer/inner/SKILL.md': skillText('inner'),
      'skills/outer/skills/inner/SKILL.md': skillText('inner'),
    });
    assert.deepEqual(look(files.path, [skillsAt(files.at('skills'))]).files, ['skills/outer/SKILL.md']);
  });

  test('stops at a bundle even when its descriptor is invalid', () => {
    using files = tree({
      'skills/empty/SKILL.md': '',
      'skills/empty/inner/SKILL.md': skillText('inner'),
      'skills/huge/SKILL.md': 'x'.repeat(300),
      'skills/huge/inner/SKILL.md': skillText('inner'),
    });
    const { files: paths } = look(files.path, [skillsAt(files.at('skills'))], {
      limits: { descriptorBytes: 200 },
    });
    assert.deepEqual(paths, ['skills/empty/SKILL.md', 'skills/huge/SKILL.md']);
  });

  test('takes one skill from each descriptor of a folder', () => {
    using files = tree({
      'skills/many/tskill.md': '# T\n',
      'skills/many/SKILL.md': skillText('many'),
      'skills/many/cskill.md': '# C\n',
      'skills/many/other.md': skillText('other'),
    });
    const { found } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(
      found.map(({ family, stem }) => `${family.id} ${stem}`),
      ['agent-skill many', 'code-skill many', 'table many'],
    );
  });

  test('takes a root that is itself a bundle as that one', () => {
    using files = tree({
      'one/SKILL.md': skillText('one'),
      'one/loose.md': skillText('loose'),
      'one/inner/SKILL.md': skillText('inner'),
    });
    const { found, files: paths } = look(files.path, [skillsAt(files.at('one'))]);
    assert.deepEqual(paths, ['one/SKILL.md']);
    assert.deepEqual([found[0]?.stem, found[0]?.group], ['one', '']);
  });

  test('skips dot names and node_modules', () => {
    using files = tree({
      'skills/.hidden/a/SKILL.md': skillText('a'),
      'skills/group/.cache/b/SKILL.md': skillText('b'),
      'skills/group/node_modules/c/SKILL.md': skillText('c'),
      'skills/.loose.md': skillText('loose'),
      'skills/node_modules/SKILL.md': skillText('d'),
      'skills/node_modules_too/SKILL.md': skillText('e'),
    });
    const { files: paths } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/node_modules_too/SKILL.md']);
  });

  test('skips a folder that is named like an ignore file', () => {
    using files = tree({
      'skills/.gitignore/a/SKILL.md': skillText('a'),
      'skills/.ignore/SKILL.md': skillText('b'),
      'skills/c/SKILL.md': skillText('c'),
    });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/c/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  for (const above of ['build', '.cache', 'node_modules/pack', '.git']) {
    test(`works in a workspace below ${above}`, () => {
      using files = tree({ [`${above}/skills/a/SKILL.md`]: skillText('a') });
      assert.deepEqual(look(files.path, [skillsAt(files.at(above, 'skills'))]).files, [
        `${above}/skills/a/SKILL.md`,
      ]);
    });
  }

  test('takes names as they are', () => {
    const names = ['new\nline', "quo'te", 'double"quote', 'emoji 🚀', 'back\\slash', ' ', '%2e%2e', '$HOME'];
    using files = tree(Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, skillText('x')])));
    const { found, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(found.map(({ stem }) => stem).sort(), names.toSorted());
    assert.deepEqual(diagnostics, []);
  });

  test('says that a name is not text, and continues', () => {
    using files = tree({ 'skills/good/SKILL.md': skillText('good') });
    const odd = Buffer.concat([Buffer.from(`${files.at('skills')}/odd-`), Buffer.from([0xff, 0xfe])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from('/SKILL.md')]), skillText('odd'));
    const { files: paths, diagnostics, issues } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/good/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.unreadable skills/odd-\ufffd\ufffd']);
    assert.match(issues[0]?.message ?? '', /name is not valid UTF-8/);
  });

  test('works at the root of the file system', () => {
    const listings: Readonly<Record<string, Partial<Listing>>> = {
      '/': { dirs: ['alpha', 'group'] },
      '/alpha': { files: ['SKILL.md'] },
      '/group': { dirs: ['beta'] },
      '/group/beta': { files: ['SKILL.md'] },
    };
    const list = (dir: string): Listing => ({ dirs: [], files: [], links: [], odd: [], ...listings[dir] });
    const { found } = look('/', [skillsAt('/')], { disk: { list, read: () => undefined } });
    assert.deepEqual(
      found.map(({ file, group }) => `${file} ${group}`),
      ['/alpha/SKILL.md ', '/group/beta/SKILL.md group'],
    );
  });
});

describe('the order', () => {
  test('is that of the roots, then of the paths in code units', () => {
    using files = tree({
      'two/z/SKILL.md': skillText('z'),
      'one/a/x/SKILL.md': skillText('x'),
      'one/a-b/SKILL.md': skillText('b'),
      'one/B/SKILL.md': skillText('upper'),
      'one/é/SKILL.md': skillText('accent'),
      'one/z/SKILL.md': skillText('z'),
      'one/a.md': skillText('loose'),
      'one/m/tskill.md': '# T\n',
      'one/m/SKILL.md': skillText('m'),
    });
    assert.deepEqual(look(files.path, [skillsAt(files.at('one')), skillsAt(files.at('two'))]).files, [
      'one/B/SKILL.md',
      'one/a-b/SKILL.md',
      'one/a.md',
      'one/a/x/SKILL.md',
      'one/m/SKILL.md',
      'one/m/tskill.md',
      'one/z/SKILL.md',
      'one/é/SKILL.md',
      'two/z/SKILL.md',
    ]);
  });

  test('is the same whatever order the disk lists', () => {
    const names = Array.from({ length: 30 }, (_, index) => `skill-${(index * 7) % 30}`);
    using files = tree(Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, skillText(name)])));
    const backwards: ScanDisk = {
      ...bareDisk(defaultSkillLimits),
      list(dir) {
        const listing = readListing(dir);
        return { ...listing, dirs: listing.dirs.toReversed() };
      },
    };
    const roots = [skillsAt(files.at('skills'))];
    assert.deepEqual(look(files.path, roots, { disk: backwards }).files, look(files.path, roots).files);
    assert.deepEqual(look(files.path, roots).files, names.map((name) => `skills/${name}/SKILL.md`).sort());
  });
});

describe('a folder that cannot be read', () => {
  test('is reported and hides nothing else', () => {
    using files = tree({
      'skills/a/SKILL.md': skillText('a'),
      'skills/gone/SKILL.md': skillText('gone'),
      'skills/z/SKILL.md': skillText('z'),
    });
    const disk: ScanDisk = {
      ...bareDisk(defaultSkillLimits),
      list(dir) {
        if (dir.endsWith('gone')) rmSync(dir, { recursive: true });
        return readListing(dir);
      },
    };
    const { files: paths, diagnostics, issues } = look(files.path, [skillsAt(files.at('skills'))], { disk });
    assert.deepEqual(paths, ['skills/a/SKILL.md', 'skills/z/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.unreadable skills/gone']);
    assert.match(issues[0]?.message ?? '', /^The folder cannot be read: ENOENT/);
  });

  test('is reported when it is the root, and the other roots are walked', () => {
    using files = tree({ 'one/a/SKILL.md': skillText('a'), 'two/b/SKILL.md': skillText('b') });
    const list = (dir: string): Listing => {
      if (dir === files.at('one')) throw new Error('EIO: the disk is tired');
      return readListing(dir);
    };
    const disk = { ...bareDisk(defaultSkillLimits), list };
    const paths = look(files.path, [skillsAt(files.at('one')), skillsAt(files.at('two'))], { disk });
    assert.deepEqual(paths.files, ['two/b/SKILL.md']);
    assert.deepEqual(paths.diagnostics, ['scan.unreadable one']);
  });

  test('may be an ignore file: then it does not count, and the other one does', () => {
    using files = tree({
      'skills/.gitignore': `a\n${'#'.repeat(300)}\n`,
      'skills/.ignore': 'b\n',
      'skills/a/SKILL.md': skillText('a'),
      'skills/b/SKILL.md': skillText('b'),
    });
    const {
      files: paths,
      diagnostics,
      issues,
    } = look(files.path, [skillsAt(files.at('skills'))], {
      limits: { descriptorBytes: 200 },
    });
    assert.deepEqual(paths, ['skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.unreadable skills/.gitignore']);
    assert.match(issues[0]?.message ?? '', /more than 200 bytes/);
  });
});

describe('roots of one run', () => {
  test('that are one folder are walked once, by the first', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/a/skill.md': skillText('b') });
    const roots = [skillsAt(files.at('skills'), 'explicit'), skillsAt(files.at('skills'), 'project')];
    const { found, diagnostics } = look(files.path, roots);
    assert.deepEqual(
      found.map(({ root }) => root.source),
      ['explicit'],
    );
    assert.deepEqual(diagnostics, ['scan.two-spellings skills/a/SKILL.md']);
  });

  test('that lie in each other give each file to the first', () => {
    using files = tree({
      'skills/a/SKILL.md': skillText('a'),
      'skills/group/b/SKILL.md': skillText('b'),
      'skills/group/loose.md': skillText('loose'),
    });
    const roots = [skillsAt(files.at('skills/group'), 'explicit'), skillsAt(files.at('skills'), 'project')];
    assert.deepEqual(
      look(files.path, roots).found.map(({ root, stem, group }) => `${root.source} ${stem} ${group}`),
      ['explicit b ', 'explicit loose ', 'project a '],
    );
  });

  test('of two kinds may be the same folder', () => {
    using files = tree({
      'both/agents/reviewer.md': skillText('reviewer'),
      'both/agents/helper/SKILL.md': skillText('helper'),
    });
    const { found } = look(files.path, [
      skillsAt(files.at('both')),
      agentsAt(join(files.path, 'both/agents')),
    ]);
    assert.deepEqual(
      found.map(({ family, stem }) => `${family.id} ${stem}`),
      ['agent-skill helper', 'subagent reviewer'],
    );
  });
});
