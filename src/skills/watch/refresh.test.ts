import assert from 'node:assert/strict';
import { chmodSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { follow, onlySweeps } from '../../../test/support/followed.ts';
import { skillsAt } from '../../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { Draft } from '../discover/draft.ts';
import { holdUnfinished } from './refresh.ts';

function workspace(): Tree {
  const base = tree({
    'skills/a/SKILL.md': skillText('a'),
    'skills/a/run.sh': 'echo\n',
    'skills/group/b/SKILL.md': skillText('b'),
    'skills/.gitignore': 'nothing\n',
    'skills/.shelf/c/SKILL.md': skillText('c'),
    'skills/.shelf/d/SKILL.md': skillText('d'),
  });
  symlinkSync('.shelf/c', base.at('skills/link'));
  return base;
}

const changes: Record<string, (base: Tree) => unknown> = {
  'another text': (base) => base.write('skills/a/SKILL.md', skillText('a', 'Changed.')),
  'another text with the old time stamp': (base) => {
    base.write('skills/a/SKILL.md', skillText('a', 'Doze a.'));
    utimesSync(base.at('skills/a/SKILL.md'), 1, 1);
  },
  'a new skill': (base) => base.write('skills/group/e/SKILL.md', skillText('e')),
  'a skill that is gone': (base) => rmSync(base.at('skills/group/b'), { recursive: true }),
  'a moved skill': (base) => renameSync(base.at('skills/group/b'), base.at('skills/b')),
  'a changed ignore file': (base) => base.write('skills/.gitignore', 'a/\n'),
  'a link that leads elsewhere': (base) => {
    rmSync(base.at('skills/link'));
    symlinkSync('.shelf/d', base.at('skills/link'));
  },
  'a target that is gone': (base) => rmSync(base.at('skills/.shelf/c'), { recursive: true }),
  'a root that is gone': (base) => renameSync(base.at('skills'), base.at('gone')),
};
for (const [what, change] of Object.entries(changes)) {
  test(`a sweep finds ${what} without an event`, async () => {
    using base = workspace();
    await using at = await follow([skillsAt(base.at('skills'))], onlySweeps());
    change(base);
    await at.watching.sweep();
    await at.equalsCold();
  });
}

test('a sweep finds changes next to a descriptor without an event, but not new timestamps alone', async () => {
  using base = workspace();
  await pause(150); // older than the resolution of timestamps, so that nothing is in doubt
  await using at = await follow([skillsAt(base.at('skills'))], onlySweeps());
  utimesSync(base.at('skills/a/run.sh'), 1, 1);
  await at.watching.sweep();
  assert.deepEqual([...at.touched], []);
  chmodSync(base.at('skills/a/run.sh'), 0o755);
  await at.watching.sweep();
  assert.deepEqual([...at.touched], [base.at('skills/a/SKILL.md')]);
  base.write('skills/group/b/new', '');
  await at.watching.sweep();
  assert.equal(at.touched.size, 2);
});

test('the watch of a folder that missed an event is renewed, the others stay', async () => {
  using base = workspace();
  await pause(150);
  const system = onlySweeps();
  await using at = await follow([skillsAt(base.at('skills'))], system);
  const before = new Map(system.open);
  base.write('skills/group/e/SKILL.md', skillText('e'));
  await at.watching.sweep();
  const isSame = (dir: string): boolean => system.open.get(base.at(dir)) === before.get(base.at(dir));
  assert.deepEqual([isSame('skills/group'), isSame('skills/a'), isSame('skills')], [false, true, true]);
});

test('folders that are gone are not watched any more', async () => {
  using base = tree({
    'skills/a/SKILL.md': skillText('a'),
    'skills/group/b/in/x': '',
    'skills/group/b/SKILL.md': skillText('b'),
  });
  const system = onlySweeps();
  await using at = await follow([skillsAt(base.at('skills'))], system);
  const below = (dir: string): number =>
    [...system.open.keys()].filter((path) => path.startsWith(base.at(dir))).length;
  assert.equal(below('skills/group'), 3);
  rmSync(base.at('skills/group'), { recursive: true });
  await at.watching.sweep();
  assert.deepEqual([below('skills/group'), below('skills/a')], [0, 1]);
});

test('an event in a folder in which only a name is waited for counts when the folder was replaced', async () => {
  using base = tree({ 'work/x': '' });
  const system = onlySweeps();
  await using at = await follow([skillsAt(base.at('work/skills'))], system);
  renameSync(base.at('work'), base.at('old'));
  base.write('work/skills/a/SKILL.md', skillText('a'));
  system.open.get(base.at('work'))?.('rename', 'some-other-name');
  await at.equalsCold();
  assert.equal(at.text('a'), 'Does a.');
});

test('an event without a name puts everything below its folder in doubt', async () => {
  using base = workspace();
  const system = onlySweeps();
  await using at = await follow([skillsAt(base.at('skills'))], system);
  base.write('skills/a/run.sh', 'echo 2\n');
  base.write('skills/group/b/SKILL.md', skillText('b', 'Changed.'));
  system.open.get(base.at('skills'))?.('change', null);
  await at.equalsCold();
  assert.deepEqual([...at.touched], [base.at('skills/a/SKILL.md')]);
});

const whole: Draft = { name: 'a', card: { description: 'A.' }, issues: [], usable: true, sum: '1' };
const cut: Draft = {
  ...whole,
  issues: [{ level: 'warning', code: 'frontmatter.unclosed', message: 'No end.' }],
};
const broken: Draft = {
  ...whole,
  usable: false,
  issues: [{ level: 'error', code: 'section.missing', message: 'No fields.' }],
};

test('a file that changed within the last 25 ms is held back, whatever it looks like', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  assert.equal(held.mayTake('/a', whole, whole, 99_990), false);
  assert.deepEqual(held.release(), ['/a']);
  assert.equal(held.mayTake('/a', whole, whole, 99_970), true);
  assert.deepEqual(held.release(), []);
});

test('a file that has new findings or no longer is a skill is held back for a second', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  for (const fresh of [cut, broken, undefined]) {
    assert.equal(held.mayTake('/a', fresh, whole, 99_100), false);
    assert.equal(held.mayTake('/a', fresh, whole, 98_900), true);
  }
});

test('a new file is held back for a second when it ends within its head', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  assert.equal(held.mayTake('/a', cut, undefined, 99_100), false);
  assert.equal(held.mayTake('/a', cut, undefined, 98_900), true);
  assert.equal(held.mayTake('/a', whole, undefined, 99_100), true);
});

test('a file that was no better before is not held back', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  assert.equal(held.mayTake('/a', broken, broken, 99_900), true);
  assert.equal(held.mayTake('/a', undefined, undefined, 99_900), true);
  assert.equal(held.mayTake('/a', broken, undefined, 99_900), true);
});

test('a file that changes all the time is taken after five seconds', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  const held = holdUnfinished();
  for (let waited = 0; waited < 5_000; waited += 50) {
    assert.equal(held.mayTake('/a', whole, whole, Date.now()), false);
    held.release();
    t.mock.timers.tick(50);
  }
  assert.equal(held.mayTake('/a', whole, whole, Date.now()), true);
});

test('a time stamp from the future holds nothing back', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 100_000 });
  assert.equal(holdUnfinished().mayTake('/a', cut, whole, 200_000), true);
});
