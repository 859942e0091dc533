import assert from 'node:assert/strict';
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
import { basename } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { look, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { bundleContents, type BundleContents } from './bundle-contents.ts';

function bundle(): Tree {
  return tree({ 'a/SKILL.md': skillText('a'), 'a/run.sh': 'echo 1\n', 'a/notes/more.txt': 'more\n' });
}

async function tracked(base: Tree, entered: string[] = []): Promise<BundleContents> {
  const contents = bundleContents({
    enter: (dir) => entered.push(dir),
    isDescriptor: (path) => basename(path) === 'SKILL.md',
  });
  await contents.track(look(base.path, [skillsAt(base.path)]).found);
  return contents;
}

const changes: Record<string, (base: Tree) => void> = {
  'another text': (base) => writeFileSync(base.at('a/run.sh'), 'echo 2\n'),
  'a new file': (base) => base.write('a/new', ''),
  'a new empty folder': (base) => mkdirSync(base.at('a/empty')),
  'a file that is gone': (base) => rmSync(base.at('a/run.sh')),
  'another name': (base) => renameSync(base.at('a/run.sh'), base.at('a/ran.sh')),
  'a text deeper down': (base) => writeFileSync(base.at('a/notes/more.txt'), 'less\n'),
  'leave to execute': (base) => chmodSync(base.at('a/run.sh'), 0o755),
  'leave to execute the descriptor': (base) => chmodSync(base.at('a/SKILL.md'), 0o755),
  'a link': (base) => symlinkSync('run.sh', base.at('a/link')),
  'a link in the place of a file with the same text': (base) => {
    renameSync(base.at('a/run.sh'), base.at('run.sh'));
    symlinkSync('../run.sh', base.at('a/run.sh'));
  },
  'a folder in the place of a file': (base) => {
    rmSync(base.at('a/run.sh'));
    mkdirSync(base.at('a/run.sh'));
  },
  'a change in a hidden folder': (base) => base.write('a/.cache/x', '1'),
};
for (const [what, change] of Object.entries(changes)) {
  test(`${what} changes a bundle, once`, async () => {
    using base = bundle();
    const contents = await tracked(base);
    change(base);
    assert.equal(contents.hasChanged(base.at('a')), true);
    assert.equal(contents.hasChanged(base.at('a')), false);
  });
}

const noChanges: Record<string, (base: Tree) => void> = {
  'the same text again': (base) => writeFileSync(base.at('a/run.sh'), 'echo 1\n'),
  'a touch': (base) => utimesSync(base.at('a/run.sh'), 1, 1),
  'a copy in its place': (base) => {
    base.write('copy', 'echo 1\n');
    renameSync(base.at('copy'), base.at('a/run.sh'));
  },
  'a change of the descriptor, which is looked after elsewhere,': (base) =>
    writeFileSync(base.at('a/SKILL.md'), skillText('b')),
};
for (const [what, change] of Object.entries(noChanges)) {
  test(`${what} does not change a bundle`, async () => {
    using base = bundle();
    const contents = await tracked(base);
    change(base);
    assert.equal(contents.hasChanged(base.at('a')), false);
  });
}

test('a file of more than a megabyte goes by its size and time', async () => {
  using base = bundle();
  base.write('a/model.bin', '');
  truncateSync(base.at('a/model.bin'), 2_000_000);
  const contents = await tracked(base);
  assert.equal(contents.hasChanged(base.at('a')), false);
  utimesSync(base.at('a/model.bin'), 1, 1);
  assert.equal(contents.hasChanged(base.at('a')), true);
});

test('a path belongs to every bundle above it', async () => {
  using base = bundle();
  const contents = await tracked(base);
  assert.deepEqual(contents.bundlesAt(base.at('a/notes/more.txt')), [base.at('a')]);
  assert.deepEqual(contents.bundlesAt(base.at('a')), [base.at('a')]);
  assert.deepEqual(contents.bundlesAt(base.path), []);
});

test('folders inside a bundle are announced before they are entered, hidden ones and node_modules are not', async () => {
  using base = tree({
    'a/SKILL.md': skillText('a'),
    'a/x/y/z': '',
    'a/.git/HEAD': '',
    'a/node_modules/m/i.js': '',
  });
  const entered: string[] = [];
  await tracked(base, entered);
  assert.deepEqual(entered, [base.at('a/x'), base.at('a/x/y')]);
});

test('a bundle that is not tracked any more is forgotten', async () => {
  using base = bundle();
  const contents = await tracked(base);
  await contents.track([]);
  assert.deepEqual(contents.bundlesAt(base.at('a')), []);
});

test('bundles tracked while others are still measured are measured too', async () => {
  using base = bundle();
  base.write('b/SKILL.md', skillText('b'));
  base.write('b/x', '');
  const contents = bundleContents({ enter: () => {}, isDescriptor: () => false });
  const { found } = look(base.path, [skillsAt(base.path)]);
  const first = contents.track(found.slice(0, 1));
  const second = contents.track(found);
  await Promise.all([first, second]);
  assert.deepEqual([contents.hasChanged(base.at('a')), contents.hasChanged(base.at('b'))], [false, false]);
});

test('a sweep names the bundles whose stamps changed, without reading them', async () => {
  using base = bundle();
  base.write('b/SKILL.md', skillText('b'));
  await pause(150); // older than the resolution of timestamps, so that they are reliable
  const contents = await tracked(base);
  const stale = (): readonly string[] => [...contents.stale()].filter((dir) => dir !== undefined);
  assert.deepEqual(stale(), []);
  utimesSync(base.at('a/notes/more.txt'), 1, 1);
  assert.deepEqual(stale(), [base.at('a')]);
});

test('a sweep names a bundle whose stamps were too fresh to tell', async () => {
  using base = bundle();
  const contents = await tracked(base);
  assert.ok([...contents.stale()].includes(base.at('a')));
});
