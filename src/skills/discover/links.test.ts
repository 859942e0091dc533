import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, test } from 'node:test';
import { look, scanOptions, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { discover } from './discover.ts';

/** Creates links from paths to targets. */
function link(files: Tree, links: Readonly<Record<string, string>>): void {
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(files.at(path)), { recursive: true });
    symlinkSync(target, files.at(path));
  }
}

describe('a link to a folder', () => {
  test('inside its root is followed, and what it leads to is found where it is', () => {
    using files = tree({ 'skills/z/real/SKILL.md': skillText('real') });
    link(files, { 'skills/alias': 'z/real', 'skills/a/group': '../z' });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/z/real/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('that the walk would not enter by itself is found under the name of the link', () => {
    using files = tree({
      'skills/node_modules/pack/SKILL.md': skillText('pack'),
      'skills/.store/hidden/SKILL.md': skillText('hidden'),
      'skills/bundle/SKILL.md': skillText('bundle'),
      'skills/bundle/inner/SKILL.md': skillText('inner'),
    });
    link(files, {
      'skills/pack': 'node_modules/pack',
      'skills/group/shown': '../.store/hidden',
      'skills/inner': 'bundle/inner',
    });
    const { found, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(
      found.map(({ stem, group, file }) => `${group} ${stem} ${file.slice(files.path.length)}`),
      [
        ' bundle /skills/bundle/SKILL.md',
        'group shown /skills/group/shown/SKILL.md',
        ' inner /skills/inner/SKILL.md',
        ' pack /skills/pack/SKILL.md',
      ],
    );
    assert.equal(found[3]?.realFile, files.at('skills/node_modules/pack/SKILL.md'));
    assert.deepEqual(diagnostics, []);
  });

  test('outside its root is refused with a finding that says what to allow', () => {
    using files = tree({
      'outside/secret/SKILL.md': skillText('secret'),
      'skills/good/SKILL.md': skillText('good'),
    });
    link(files, { 'skills/bad': '../outside/secret', 'skills/all': files.at('outside') });
    const { files: paths, diagnostics, issues } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/good/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.link-outside skills/all', 'scan.link-outside skills/bad']);
    assert.ok(
      issues[0]?.hint?.includes(`add "${files.at('outside')}" to allowSymlinkTargets`),
      issues[0]?.hint,
    );
  });

  test('beside its root does not pass for inside', () => {
    using files = tree({ 'skills-more/a/SKILL.md': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
    link(files, { 'skills/a': '../skills-more/a' });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/b/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.link-outside skills/a']);
  });

  test('outside its root is followed where allowSymlinkTargets names the folder', () => {
    using files = tree({
      'outside/a/SKILL.md': skillText('a'),
      'outside/b/SKILL.md': skillText('b'),
      'other/c/SKILL.md': skillText('c'),
    });
    link(files, { 'skills/a': '../outside/a', 'skills/c': '../other/c', allowed: 'outside' });
    for (const allowed of ['outside', 'outside/a', 'allowed']) {
      const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))], {
        allowSymlinkTargets: [files.at('missing'), files.at(allowed)],
      });
      assert.deepEqual(paths, ['skills/a/SKILL.md']);
      assert.deepEqual(diagnostics, ['scan.link-outside skills/c']);
    }
  });

  test('found in an allowed folder obeys the same rule', () => {
    using files = tree({ 'outside/a/SKILL.md': skillText('a'), 'secret/b/SKILL.md': skillText('b') });
    link(files, { 'skills/out': '../outside', 'outside/b': '../secret/b' });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))], {
      allowSymlinkTargets: [files.at('outside')],
    });
    assert.deepEqual(paths, ['skills/out/a/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.link-outside skills/out/b']);
  });

  test('into another root of the run is the same file, counted once, silently', () => {
    using files = tree({ 'one/a/SKILL.md': skillText('a'), 'two/b/SKILL.md': skillText('b') });
    link(files, { 'one/b': '../two/b', 'two/a': '../one/a', 'two/all': '../one' });
    const { files: paths, diagnostics } = look(files.path, [
      skillsAt(files.at('one')),
      skillsAt(files.at('two')),
    ]);
    assert.deepEqual(paths, ['one/a/SKILL.md', 'one/b/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('waits until everything that is there itself was seen', () => {
    using files = tree({ 'skills/z/deep/er/SKILL.md': skillText('er') });
    link(files, { 'skills/a': 'z/deep', 'skills/z/b': 'deep/er' });
    assert.deepEqual(look(files.path, [skillsAt(files.at('skills'))]).files, ['skills/z/deep/er/SKILL.md']);
  });

  test('is skipped under a hidden name, and where it is ignored', () => {
    using files = tree({
      'skills/.gitignore': 'ignored/\n',
      'skills/a/SKILL.md': skillText('a'),
      'outside/b/SKILL.md': skillText('b'),
    });
    link(files, {
      'skills/.b': '../outside/b',
      'skills/node_modules': '../outside',
      'skills/ignored': '../outside',
    });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('may be a chain of links', () => {
    using files = tree({ 'skills/.store/a/SKILL.md': skillText('a') });
    link(files, { 'skills/one': 'two', 'skills/two': '.three', 'skills/.three': '.store/a' });
    assert.deepEqual(look(files.path, [skillsAt(files.at('skills'))]).files, ['skills/one/SKILL.md']);
  });

  test('that leads nowhere is silently nothing', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    link(files, { 'skills/dangling': 'missing', 'skills/self': 'self', 'skills/deep': 'a/SKILL.md/x' });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('may be the root', () => {
    using files = tree({ 'real/a/SKILL.md': skillText('a'), 'real/b/c/SKILL.md': skillText('c') });
    link(files, { skills: 'real', 'real/again': 'b/c' });
    const { found, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(
      found.map(({ file, realFile, group }) => ({ file, realFile, group })),
      [
        { file: files.at('skills/a/SKILL.md'), realFile: files.at('real/a/SKILL.md'), group: '' },
        { file: files.at('skills/b/c/SKILL.md'), realFile: files.at('real/b/c/SKILL.md'), group: 'b' },
      ],
    );
    assert.deepEqual(diagnostics, []);
  });

  test('may make two roots one, which is then walked once', () => {
    using files = tree({ '.agents/skills/a/SKILL.md': skillText('a'), '.agents/skills/a/skill.md': '' });
    link(files, { '.claude/skills': '../.agents/skills' });
    const roots = [skillsAt(files.at('.agents/skills')), skillsAt(files.at('.claude/skills'))];
    const { files: paths, diagnostics } = look(files.path, roots);
    assert.deepEqual(paths, ['.agents/skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.two-spellings .agents/skills/a/SKILL.md']);
  });
});

describe('a cycle of links', () => {
  const cycles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'to the folder itself': { 'skills/loop': '.' },
    'to the folder itself, twice': { 'skills/one': '.', 'skills/two': '.' },
    'to the parent': { 'skills/group/up': '..' },
    'to the parent, many times': Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`skills/group/up-${index}`, '..']),
    ),
    'of two folders': { 'skills/group/to-other': '../other', 'skills/other/to-group': '../group' },
    'of links alone': { 'skills/x': 'y', 'skills/y': 'x' },
    'through the root': { 'skills/group/sub/root': '../../../skills' },
  };
  for (const [what, links] of Object.entries(cycles)) {
    test(`${what} ends, and the others load`, () => {
      using files = tree({
        'skills/a/SKILL.md': skillText('a'),
        'skills/group/b/SKILL.md': skillText('b'),
        'skills/other/c/SKILL.md': skillText('c'),
      });
      link(files, links);
      const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
      assert.deepEqual(paths, ['skills/a/SKILL.md', 'skills/group/b/SKILL.md', 'skills/other/c/SKILL.md']);
      assert.deepEqual(diagnostics, []);
    });
  }
});

describe('a descriptor that is a link', () => {
  test('outside its root is skipped with a finding, and the folder is still a bundle', () => {
    using files = tree({
      'outside/SKILL.md': skillText('secret'),
      'skills/a/inner/SKILL.md': skillText('inner'),
      'skills/b/SKILL.md': skillText('b'),
    });
    link(files, { 'skills/a/SKILL.md': '../../outside/SKILL.md', 'skills/loose.md': '/etc/passwd' });
    const { files: paths, diagnostics, issues } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/b/SKILL.md']);
    assert.deepEqual(diagnostics, [
      'scan.link-outside skills/loose.md',
      'scan.link-outside skills/a/SKILL.md',
    ]);
    assert.match(issues[1]?.hint ?? '', /add ".*outside" to allowSymlinkTargets/);
  });

  test('inside its bundle is read', () => {
    using files = tree({ 'skills/a/docs/text.md': skillText('a') });
    link(files, { 'skills/a/SKILL.md': 'docs/text.md' });
    const { discovered } = discover([skillsAt(files.at('skills'), 'project')], scanOptions());
    assert.deepEqual(
      discovered.map(({ found, draft }) => [found.file, found.realFile, draft.name]),
      [[files.at('skills/a/SKILL.md'), files.at('skills/a/docs/text.md'), 'a']],
    );
  });

  test('to that of a sibling is the same file, found where it is', () => {
    using files = tree({ 'skills/z/SKILL.md': skillText('z'), 'skills/real.md': skillText('real') });
    link(files, { 'skills/a/SKILL.md': '../z/SKILL.md', 'skills/alias.md': 'real.md' });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/real.md', 'skills/z/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('waits for links to folders too', () => {
    using files = tree({ 'outside/pack/SKILL.md': skillText('pack') });
    link(files, { 'skills/a/SKILL.md': '../../outside/pack/SKILL.md', 'skills/pack': '../outside/pack' });
    const { files: paths } = look(files.path, [skillsAt(files.at('skills'))], {
      allowSymlinkTargets: [files.at('outside')],
    });
    assert.deepEqual(paths, ['skills/pack/SKILL.md']);
  });

  test('to a folder makes no bundle, and is followed as a folder', () => {
    using files = tree({
      'skills/a/sub/SKILL.md': skillText('sub'),
      'skills/.store/b/SKILL.md': skillText('b'),
    });
    link(files, { 'skills/a/SKILL.md': '../.store/b' });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md/SKILL.md', 'skills/a/sub/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('that leads nowhere makes no bundle and is reported once', () => {
    using files = tree({ 'skills/a/sub/SKILL.md': skillText('sub') });
    link(files, { 'skills/a/SKILL.md': 'missing.md', 'skills/SKILL.md': 'SKILL.md' });
    const { files: paths, diagnostics, issues } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/sub/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.not-a-file skills/SKILL.md', 'scan.not-a-file skills/a/SKILL.md']);
    assert.match(issues[0]?.message ?? '', /link is broken/);
  });
});
