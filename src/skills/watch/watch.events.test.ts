import assert from 'node:assert/strict';
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { follow, onlyEvents, type Followed } from '../../../test/support/followed.ts';
import { skillsAt } from '../../../test/support/look.ts';
import { eventually } from '../../../test/support/deadline.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';

/** Follows the skills of a folder by events alone, without sweeps. */
function followed(base: Tree): Promise<Followed> {
  return follow([skillsAt(base.at('skills'))], onlyEvents);
}

function sees(at: Followed, name: string, text: string | undefined): Promise<void> {
  return eventually(() => assert.equal(at.text(name), text));
}

test('a folder that takes the place of another is read as a whole', async () => {
  using base = tree({
    'skills/group/a/SKILL.md': skillText('a', 'Old.'),
    'other/group/a/SKILL.md': skillText('a', 'New.'),
  });
  await using at = await followed(base);
  renameSync(base.at('skills/group'), base.at('old'));
  renameSync(base.at('other/group'), base.at('skills/group'));
  await sees(at, 'a', 'New.');
  base.write('skills/group/a/SKILL.md', skillText('a', 'Newer.'));
  await sees(at, 'a', 'Newer.');
});

test('a bundle in a folder that took the place of another is compared by its content', async () => {
  using base = tree({
    'skills/a/SKILL.md': skillText('a'),
    'skills/a/in/x': '1',
    'skills/b/SKILL.md': skillText('b'),
  });
  cpSync(base.at('skills'), base.at('other'), { recursive: true });
  base.write('other/a/in/x', '2');
  await using at = await followed(base);
  renameSync(base.at('skills'), base.at('old'));
  renameSync(base.at('other'), base.at('skills'));
  await eventually(() => assert.deepEqual([...at.touched], [base.at('skills/a/SKILL.md')]));
  base.write('skills/b/in/x', 'new');
  await eventually(() => assert.equal(at.touched.size, 2));
});

test('an ignore file is read again when its text changes', async () => {
  using base = tree({
    'skills/.gitignore': 'a/\n',
    'skills/a/SKILL.md': skillText('a'),
    'skills/b/SKILL.md': skillText('b'),
  });
  await using at = await followed(base);
  base.write('skills/.gitignore', 'b/\n');
  await sees(at, 'b', undefined);
  await sees(at, 'a', 'Does a.');
});

test('a link is followed to its new target', async () => {
  using base = tree({
    'skills/one/SKILL.md': skillText('one'),
    'skills/.shelf/two/SKILL.md': skillText('two'),
  });
  mkdirSync(base.at('skills/.shelf/three'));
  symlinkSync('.shelf/three', base.at('skills/link'));
  await using at = await followed(base);
  symlinkSync('.shelf/two', base.at('skills/link~'));
  renameSync(base.at('skills/link~'), base.at('skills/link'));
  await sees(at, 'two', 'Does two.');
  base.write('skills/.shelf/two/SKILL.md', skillText('two', 'Changed.'));
  await sees(at, 'two', 'Changed.');
  rmSync(base.at('skills/.shelf/two'), { recursive: true });
  await sees(at, 'two', undefined);
  await at.equalsCold();
});

test('the folder around a missing root is followed when it is moved away under another name and replaced', async () => {
  using base = tree({ 'first/x': '' });
  // If a folder was watched under two names, the system reports its removal under the first.
  renameSync(base.at('first'), base.at('work'));
  await using at = await follow(
    [skillsAt(base.at('work/skills')), skillsAt(base.at('first/skills'))],
    onlyEvents,
  );
  renameSync(base.at('work'), base.at('first'));
  base.write('first/skills/a/SKILL.md', skillText('a'));
  await sees(at, 'a', 'Does a.');
  renameSync(base.at('first'), base.at('gone'));
  base.write('first/skills/b/SKILL.md', skillText('b'));
  await sees(at, 'b', 'Does b.');
  await sees(at, 'a', undefined);
});

test('other roots are looked at as soon as anything happens', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a'), 'more/b/SKILL.md': skillText('b') });
  const roots = [skillsAt(base.at('skills'))];
  await using at = await follow(() => roots, onlyEvents);
  roots.push(skillsAt(base.at('more')));
  base.write('skills/a/SKILL.md', skillText('a', 'Changed.'));
  await sees(at, 'b', 'Does b.');
  base.write('more/b/SKILL.md', skillText('b', 'Changed.'));
  await sees(at, 'b', 'Changed.');
});

test('a new root is followed after a look that was asked for', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a'), 'more/b/SKILL.md': skillText('b') });
  const roots = [skillsAt(base.at('skills'))];
  await using at = await follow(() => roots, onlyEvents);
  roots.push(skillsAt(base.at('more')));
  await at.watching.look();
  assert.equal(at.text('b'), 'Does b.');
  base.write('more/b/SKILL.md', skillText('b', 'Changed.'));
  await sees(at, 'b', 'Changed.');
});

test('a change beside a descriptor that is a link counts for the bundle that holds the link', async () => {
  using base = tree({ 'skills/a/x': '1', 'shelf/a.md': skillText('a') });
  symlinkSync(base.at('shelf/a.md'), base.at('skills/a/SKILL.md'));
  const options = { ...onlyEvents, allowSymlinkTargets: [base.at('shelf')] };
  await using at = await follow([skillsAt(base.at('skills'))], options);
  base.write('skills/a/x', '2');
  await eventually(() => assert.deepEqual([...at.touched], [base.at('skills/a/SKILL.md')]));
  base.write('shelf/a.md', skillText('a', 'Changed.'));
  await sees(at, 'a', 'Changed.');
});
