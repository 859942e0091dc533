import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { digestFolder } from '../../files/digest.ts';
import { freshDigest, freshnessOf, type Filed } from './fresh-digest.ts';

/**
 * Creates a bundle with links to its own file, to a file outside, to a missing path outside, and to other
 * links.
 */
function bundle(): Tree {
  const files = tree({
    'skills/b/SKILL.md': skillText('b'),
    'skills/b/scripts/run.sh': 'echo 1\n',
    'outside/tool.sh': 'echo tool\n',
    'outside/other.sh': 'echo tool\n',
  });
  mkdirSync(files.at('skills/b/empty'));
  symlinkSync('scripts/run.sh', files.at('skills/b/inside'));
  symlinkSync(files.at('outside/tool.sh'), files.at('skills/b/tool'));
  symlinkSync(files.at('outside/absent'), files.at('skills/b/absent'));
  symlinkSync(files.at('skills/b/scripts'), files.at('outside/way'));
  symlinkSync(files.at('outside/way/run.sh'), files.at('skills/b/through'));
  return files;
}

function skillIn(files: Tree, dir = 'skills/b'): Filed {
  return { dir: files.at(dir), file: files.at(dir, 'SKILL.md'), loose: false };
}

test('the hooks of a plugin are part of the digest of its skills', () => {
  using files = tree({ 'p/skills/b/SKILL.md': skillText('b') });
  const digestOf = (command?: string): string | undefined =>
    freshDigest({
      ...skillIn(files, 'p/skills/b'),
      plugin: {
        dir: files.at('p'),
        ...(command === undefined ? {} : { hooks: [{ moment: 'before', command, seconds: 60 }] }),
      },
    });
  const digests = [digestOf(), digestOf('a'), digestOf('b')];
  assert.equal(new Set(digests).size, 3);
  assert.equal(digestOf('a'), digests[1]);
});

function relink(link: string, text: string): void {
  rmSync(link);
  symlinkSync(text, link);
}

const changes: Readonly<Record<string, (files: Tree, dir: string) => void>> = {
  'a byte of the descriptor': (_, dir) => writeFileSync(join(dir, 'SKILL.md'), skillText('c')),
  'a byte of a script': (_, dir) => writeFileSync(join(dir, 'scripts/run.sh'), 'echo 2\n'),
  'a byte, with the old time of change put back': (_, dir) => {
    const file = join(dir, 'scripts/run.sh');
    const { atime, mtime } = lstatSync(file);
    writeFileSync(file, 'echo 2\n');
    utimesSync(file, atime, mtime);
  },
  'the name of a file': (_, dir) => renameSync(join(dir, 'scripts/run.sh'), join(dir, 'scripts/go.sh')),
  'the executable bit': (_, dir) => chmodSync(join(dir, 'scripts/run.sh'), 0o755),
  'a new file': (_, dir) => writeFileSync(join(dir, 'scripts/new.sh'), ''),
  'a file less': (_, dir) => rmSync(join(dir, 'scripts/run.sh')),
  'a new empty folder': (_, dir) => mkdirSync(join(dir, 'empty/deep')),
  'an empty folder less': (_, dir) => rmSync(join(dir, 'empty'), { recursive: true }),
  'the text of a link within': (_, dir) => relink(join(dir, 'inside'), 'SKILL.md'),
  'the text of a link to equal bytes outside': (files, dir) =>
    relink(join(dir, 'tool'), files.at('outside/other.sh')),
  'the bytes that a link leads to outside': (files) => void files.write('outside/tool.sh', 'echo evil\n'),
  'the executable bit of what a link leads to': (files) => chmodSync(files.at('outside/tool.sh'), 0o755),
  'what a link leads to being gone': (files) => rmSync(files.at('outside/tool.sh')),
  'something where a link led to nothing': (files) => void files.write('outside/absent', ''),
  'a link outside on the way of a link': (files) => {
    files.write('outside/scripts/run.sh', 'echo 1\n');
    relink(files.at('outside/way'), files.at('outside/scripts'));
  },
  'a file that becomes a link to its own bytes': (files, dir) => {
    files.write('outside/copy', readFileSync(join(dir, 'scripts/run.sh')));
    relink(join(dir, 'scripts/run.sh'), files.at('outside/copy'));
  },
};

describe('the digest of files as they are now', { concurrency: true }, () => {
  for (const [what, change] of Object.entries(changes)) {
    test(`is another one after ${what}, at once and when it was settled before`, async () => {
      for (const isSettled of [false, true]) {
        using files = bundle();
        const skill = skillIn(files);
        if (isSettled) await pause(150); // until timestamps are reliable
        const before = freshDigest(skill);
        assert.match(before ?? '', /^sha256:[0-9a-f]{64}$/);
        assert.equal(freshDigest(skill), before);
        change(files, skill.dir);
        const after = freshDigest(skill);
        assert.match(after ?? '', /^sha256:[0-9a-f]{64}$/);
        assert.notEqual(after, before);
        assert.notEqual(freshDigest({ ...skill }), before);
      }
    });
  }

  test('is that of the registry where no link leads out', () => {
    using files = tree({ 'skills/b/SKILL.md': skillText('b'), 'skills/b/scripts/run.sh': '' });
    assert.equal(freshDigest(skillIn(files)), digestFolder(files.at('skills/b')));
  });

  test('is the same again when a change was undone', () => {
    using files = bundle();
    const skill = skillIn(files);
    const before = freshDigest(skill);
    files.write('skills/b/new', '');
    assert.notEqual(freshDigest(skill), before);
    rmSync(files.at('skills/b/new'));
    assert.equal(freshDigest(skill), before);
  });

  test('follows the folder itself when that is a link which leads elsewhere later', async () => {
    using files = tree({ 'one/SKILL.md': skillText('b'), 'two/SKILL.md': skillText('c') });
    mkdirSync(files.at('skills'));
    symlinkSync(files.at('one'), files.at('skills/b'));
    await pause(150);
    const skill = skillIn(files);
    const before = freshDigest(skill);
    assert.equal(freshDigest(skill), before);
    relink(files.at('skills/b'), files.at('two'));
    assert.equal(freshDigest(skill), digestFolder(files.at('two')));
    assert.notEqual(freshDigest(skill), before);
  });

  test('cannot be given for a link to a folder outside, which no one can vouch for', () => {
    using files = bundle();
    const skill = skillIn(files);
    assert.notEqual(freshDigest(skill), undefined);
    symlinkSync('/', files.at('skills/b/references'));
    assert.deepEqual(freshnessOf(skill), {
      fault: 'has a link that leads out of it to something other than a file: references',
    });
    assert.equal(freshDigest(skill), undefined);
  });

  test('cannot be given for a folder that is gone', () => {
    using files = bundle();
    const skill = skillIn(files);
    freshDigest(skill);
    rmSync(skill.dir, { recursive: true });
    assert.match(freshnessOf(skill).fault ?? '', /^cannot be read: ENOENT/);
  });

  test('of a loose file is that of its bytes alone, behind a link too', async () => {
    using files = tree({ 'skills/a.md': skillText('a'), 'store/text.md': skillText('a') });
    const loose = (name: string): Filed => ({ dir: files.at('skills'), file: files.at(name), loose: true });
    symlinkSync(files.at('store/text.md'), files.at('skills/l.md'));
    await pause(150);
    for (const [skill, file] of [
      [loose('skills/a.md'), 'skills/a.md'],
      [loose('skills/l.md'), 'store/text.md'],
    ] as const) {
      const before = freshDigest(skill);
      files.write('skills/beside.md', file);
      assert.equal(freshDigest(skill), before);
      files.write(file, skillText('b'));
      assert.notEqual(freshDigest(skill), before);
    }
  });
});
