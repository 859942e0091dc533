import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { look, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Skill } from '../../core/skill.ts';
import { digestFile, digestFolder } from '../../files/digest.ts';
import { digestOf, knownDigest } from './digest.ts';

const bundle = {
  'b/SKILL.md': skillText('b'),
  'b/scripts/run.sh': 'echo 1\n',
  'b/scripts/sub/data.bin': Uint8Array.from([0, 1, 2, 255]),
  'b/.hidden': 'x',
};

/** Creates a bundle with every kind of entry that a folder can contain. */
function full(): Tree {
  const files = tree(bundle);
  mkdirSync(files.at('b/empty'));
  symlinkSync('../SKILL.md', files.at('b/scripts/link'));
  execFileSync('mkfifo', [files.at('b/pipe')]);
  return files;
}

describe('the digest of a bundle', () => {
  test('is a SHA-256 that does not depend on place, time or order of making', () => {
    using one = full();
    using two = tree(Object.fromEntries(Object.entries(bundle).reverse()));
    execFileSync('mkfifo', [two.at('b/pipe')]);
    symlinkSync('../SKILL.md', two.at('b/scripts/link'));
    mkdirSync(two.at('b/empty'));
    renameSync(two.at('b'), two.at('other-name'));
    assert.match(digestFolder(one.at('b')), /^sha256:[0-9a-f]{64}$/);
    assert.equal(digestFolder(one.at('b')), digestFolder(two.at('other-name')));
  });

  const changes: Readonly<Record<string, (dir: string) => void>> = {
    'a byte of the descriptor': (dir) => writeFileSync(join(dir, 'SKILL.md'), skillText('c')),
    'a byte of a deep file': (dir) =>
      writeFileSync(join(dir, 'scripts/sub/data.bin'), Uint8Array.from([0, 1, 3, 255])),
    'a byte of a hidden file': (dir) => writeFileSync(join(dir, '.hidden'), 'y'),
    'a byte more': (dir) => writeFileSync(join(dir, '.hidden'), 'xx'),
    'the name of a file': (dir) => renameSync(join(dir, '.hidden'), join(dir, '.hidden2')),
    'the name of a folder': (dir) => renameSync(join(dir, 'empty'), join(dir, 'void')),
    'the folder of a file': (dir) => renameSync(join(dir, 'scripts/run.sh'), join(dir, 'run.sh')),
    'an executable bit': (dir) => chmodSync(join(dir, 'scripts/run.sh'), 0o755),
    'a link text': (dir) => {
      rmSync(join(dir, 'scripts/link'));
      symlinkSync('../.hidden', join(dir, 'scripts/link'));
    },
    'a link that becomes a file': (dir) => {
      rmSync(join(dir, 'scripts/link'));
      writeFileSync(join(dir, 'scripts/link'), '../SKILL.md');
    },
    'a file more': (dir) => writeFileSync(join(dir, 'new'), ''),
    'a file less': (dir) => rmSync(join(dir, '.hidden')),
    'an empty folder more': (dir) => mkdirSync(join(dir, 'new')),
    'a FIFO that becomes a file': (dir) => {
      rmSync(join(dir, 'pipe'));
      writeFileSync(join(dir, 'pipe'), '');
    },
    'the name of a FIFO': (dir) => renameSync(join(dir, 'pipe'), join(dir, 'pipe2')),
  };
  for (const [what, change] of Object.entries(changes)) {
    test(`changes with ${what}`, () => {
      using files = full();
      const before = digestFolder(files.at('b'));
      assert.equal(digestFolder(files.at('b')), before);
      change(files.at('b'));
      assert.notEqual(digestFolder(files.at('b')), before);
    });
  }

  test('distinguishes where one file ends and the next begins', () => {
    using files = tree({ 'one/a': 'xy', 'one/b': 'z', 'two/a': 'x', 'two/b': 'yz', 'three/a': 'xyz' });
    const digests = ['one', 'two', 'three'].map((name) => digestFolder(files.at(name)));
    assert.equal(new Set(digests).size, 3);
  });

  test('follows no link out of the bundle', () => {
    using files = tree({ 'b/SKILL.md': skillText('b'), outside: '1' });
    symlinkSync('..', files.at('b/up'));
    symlinkSync('../outside', files.at('b/file'));
    const before = digestFolder(files.at('b'));
    files.write('outside', '2');
    assert.equal(digestFolder(files.at('b')), before);
  });

  test('takes names that are not text', () => {
    using files = tree({ 'b/SKILL.md': skillText('b') });
    const odd = (last: number): Buffer =>
      Buffer.concat([Buffer.from(`${files.at('b')}/`), Buffer.from([0xff, last])]);
    writeFileSync(odd(0xfe), '');
    const before = digestFolder(files.at('b'));
    renameSync(odd(0xfe), odd(0xfd));
    assert.notEqual(digestFolder(files.at('b')), before);
  });

  test('reads large files in pieces', () => {
    using files = tree({ 'b/SKILL.md': skillText('b'), 'b/large': '' });
    truncateSync(files.at('b/large'), 128 * 1024 * 1024 + 1);
    const before = process.memoryUsage.rss();
    const digest = digestFolder(files.at('b'));
    assert.ok(process.memoryUsage.rss() - before < 64 * 1024 * 1024);
    truncateSync(files.at('b/large'), 128 * 1024 * 1024);
    assert.notEqual(digestFolder(files.at('b')), digest);
  });
});

describe('the digest of a loose file', () => {
  test('is that of its bytes and its executable bit, whatever is next to it', () => {
    using files = tree({
      'one.md': skillText('one'),
      'two.md': skillText('one'),
      'three.md': skillText('x'),
    });
    assert.equal(digestFile(files.at('one.md')), digestFile(files.at('two.md')));
    assert.notEqual(digestFile(files.at('one.md')), digestFile(files.at('three.md')));
    chmodSync(files.at('one.md'), 0o755);
    assert.notEqual(digestFile(files.at('one.md')), digestFile(files.at('two.md')));
  });
});

describe('the digest of a skill', () => {
  /** Returns the only skill below a root, with the fields that a digest needs. */
  const skillIn = (files: Tree, options = {}): Skill => {
    const [found] = look(files.path, [skillsAt(files.at('skills'))], options).found;
    assert.ok(found !== undefined);
    return { dir: found.dir, file: found.file } as Skill;
  };

  test('is computed when first asked for and kept with the record', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    const skill = skillIn(files);
    assert.equal(knownDigest(skill), undefined);
    const digest = digestOf(skill, false);
    assert.equal(digest, digestFolder(files.at('skills/a')));
    files.write('skills/a/SKILL.md', skillText('b'));
    assert.equal(digestOf(skill, false), digest);
    assert.equal(knownDigest(skill), digest);
    assert.notEqual(digestOf({ ...skill }, false), digest);
  });

  test('that is a loose file does not depend on its neighbours', () => {
    using files = tree({ 'skills/a.md': skillText('a') });
    assert.equal(digestOf(skillIn(files), true), digestFile(files.at('skills/a.md')));
  });

  for (const isLoose of [true, false]) {
    const name = isLoose ? 'skills/a.md' : 'skills/a/SKILL.md';
    test(`counts the bytes behind a linked descriptor: ${name}`, () => {
      using files = tree({ 'store/text.md': skillText('a') });
      mkdirSync(files.at('skills/a'), { recursive: true });
      symlinkSync(files.at('store/text.md'), files.at(name));
      const skill = skillIn(files, { allowSymlinkTargets: [files.at('store')] });
      const before = digestOf(skill, isLoose);
      files.write('store/text.md', skillText('b'));
      assert.notEqual(digestOf({ ...skill }, isLoose), before);
    });
  }
});

test('a reload without a watch notices a change beside a descriptor whose digest someone knows', async () => {
  using base = tree({
    'skills/a/SKILL.md': skillText('a'),
    'skills/a/run.sh': 'echo\n',
    'skills/b/SKILL.md': skillText('b'),
    'skills/b/run.sh': 'echo\n',
  });
  const agent = new RecursiveSkilledAgent({ startDir: base.path, searchUpwards: false });
  const updatedNames: string[] = [];
  agent.skills.subscribe((_skills, { updated }) => updatedNames.push(...updated));
  const digest = (): string | undefined => agent.skills.digest(agent.skills.resolve('a'));
  const before = digest();
  utimesSync(base.at('skills/a/run.sh'), 1, 1);
  await agent.reload();
  assert.deepEqual([updatedNames, digest()], [[], before]);
  base.write('skills/a/run.sh', 'echo 2\n');
  base.write('skills/b/run.sh', 'echo 2\n'); // the change could not be detected
  await agent.reload();
  assert.deepEqual(updatedNames, ['a']);
  assert.notEqual(digest(), before);
  rmSync(base.at('skills/a'), { recursive: true });
  await agent.reload();
  assert.equal(agent.skills.has('a'), false);
});
