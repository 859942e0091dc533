import assert from 'node:assert/strict';
import { linkSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { Family } from '../../core/family.ts';
import { builtinFamilies } from '../../families/index.ts';
import { bareDisk, type DescriptorCandidate } from '../discover/scan-state.ts';
import { defaultSkillLimits } from '../limits.ts';
import { memoOf, noKnowledge, type MemoOptions } from './memo.ts';

const limits = defaultSkillLimits;
const trusting: MemoOptions = { limits, isCurrent: () => true };
const doubting: MemoOptions = { limits, isCurrent: () => false };

function family(id: string): Family {
  const found = builtinFamilies.find((candidate) => candidate.id === id);
  assert.ok(found);
  return found;
}

function candidate(file: string, more: Partial<DescriptorCandidate> = {}): DescriptorCandidate {
  const dir = dirname(file);
  const location = { dir, file, stem: 'stem', loose: false, realFile: file, refuseHardLinks: true };
  return { ...location, family: family('agent-skill'), ...more };
}

function oneSkill(): Tree {
  return tree({ 'a/SKILL.md': skillText('a') });
}

test('what is current is answered from memory, without a look at the disk', () => {
  using base = oneSkill();
  const memo = memoOf(noKnowledge(), trusting);
  const draft = memo.read(candidate(base.at('a/SKILL.md')));
  const listing = memo.list(base.at('a'));
  rmSync(base.at('a'), { recursive: true });
  assert.equal(memo.read(candidate(base.at('a/SKILL.md'))), draft);
  assert.equal(memo.list(base.at('a')), listing);
});

test('what is not current is read again; the same content keeps its draft, other content does not', () => {
  using base = oneSkill();
  const memo = memoOf(noKnowledge(), doubting);
  const file = base.at('a/SKILL.md');
  const draft = memo.read(candidate(file));
  writeFileSync(file, skillText('a'));
  assert.equal(memo.read(candidate(file)), draft);
  writeFileSync(file, skillText('a', 'Does other things.'));
  assert.equal(memo.read(candidate(file))?.card.description, 'Does other things.');
});

test('by default the fingerprint decides what is current', () => {
  using base = oneSkill();
  const memo = memoOf(noKnowledge(), { limits });
  const file = base.at('a/SKILL.md');
  memo.read(candidate(file));
  memo.list(base.at('a'));
  const old = new Date(1_000_000_000_000);
  writeFileSync(file, skillText('b'));
  utimesSync(file, old, old);
  base.write('a/cskill.md', '');
  assert.equal(memo.read(candidate(file))?.name, 'b');
  assert.deepEqual(memo.list(base.at('a')).files, ['SKILL.md', 'cskill.md']);
});

test('a draft made for another family, place or rule is not taken over', () => {
  using base = oneSkill();
  const file = base.at('a/SKILL.md');
  linkSync(file, base.at('second'));
  const others = [
    { refuseHardLinks: false },
    { refuseHardLinks: false, stem: 'other' },
    { refuseHardLinks: false, loose: true },
    { refuseHardLinks: false, file: base.at('link/SKILL.md') },
    { refuseHardLinks: true },
    { refuseHardLinks: false, family: family('code-skill') },
  ];
  const memo = memoOf(noKnowledge(), trusting);
  for (const other of [...others, ...others]) {
    assert.deepEqual(memo.read(candidate(file, other)), bareDisk(limits).read(candidate(file, other)));
  }
});

test('a file that grew past the limit is measured again although what is read of it is the same', () => {
  using base = tree();
  const small = { ...limits, descriptorBytes: 100 };
  const file = base.write('SKILL.md', 'x'.repeat(200));
  const memo = memoOf(noKnowledge(), { limits: small, isCurrent: () => false });
  memo.read(candidate(file));
  writeFileSync(file, 'x'.repeat(300));
  assert.deepEqual(memo.read(candidate(file)), bareDisk(small).read(candidate(file)));
});

test('what cannot be read is not remembered', () => {
  using base = oneSkill();
  const known = noKnowledge();
  const memo = memoOf(known, trusting);
  const file = base.at('a/SKILL.md');
  linkSync(file, base.at('second'));
  assert.equal(memo.read(candidate(file))?.issues[0]?.code, 'descriptor.hard-link');
  assert.throws(() => memo.list(base.at('missing')));
  assert.deepEqual([known.files.size, known.folders.size], [0, 0]);
  rmSync(base.at('second'));
  assert.equal(memo.read(candidate(file))?.name, 'a');
});

test('a folder that can no longer be listed is forgotten', () => {
  using base = oneSkill();
  const known = noKnowledge();
  const memo = memoOf(known, doubting);
  memo.list(base.at('a'));
  rmSync(base.at('a'), { recursive: true });
  assert.throws(() => memo.list(base.at('a')));
  assert.equal(known.folders.size, 0);
});

test('a folder is announced before it is listed', () => {
  using base = oneSkill();
  let isAnnounced = false;
  const memo = memoOf(noKnowledge(), {
    limits,
    beforeList: () => {
      if (!isAnnounced) base.write('a/late.md', ''); // a watch that starts here sees all later changes
      isAnnounced = true;
    },
  });
  assert.deepEqual(memo.list(base.at('a')).files, ['SKILL.md', 'late.md']);
});

test('a draft that may not be taken leaves the one before in place', () => {
  using base = oneSkill();
  let mayTake = true;
  const memo = memoOf(noKnowledge(), { ...doubting, mayTake: () => mayTake });
  const file = base.at('a/SKILL.md');
  memo.read(candidate(file));
  mayTake = false;
  writeFileSync(file, '---\nname: a');
  assert.equal(memo.read(candidate(file))?.card.description, 'Does a.');
  assert.equal(memo.read(candidate(base.write('b/SKILL.md', '---\n'))), undefined);
  mayTake = true;
  assert.equal(memo.read(candidate(file))?.issues[0]?.code, 'frontmatter.unclosed');
});

test('what was not asked for since the last time is forgotten', () => {
  using base = tree({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
  const known = noKnowledge();
  const memo = memoOf(known, trusting);
  const ask = (name: string): void => {
    memo.list(base.at(name));
    memo.read(candidate(base.at(name, 'SKILL.md')));
  };
  ask('a');
  ask('b');
  memo.prune();
  assert.deepEqual([known.folders.size, known.files.size], [2, 2]);
  ask('b');
  memo.prune();
  assert.deepEqual([...known.folders.keys(), ...known.files.keys()], [base.at('b'), base.at('b/SKILL.md')]);
});

test('knowledge is changed by reading and forgetting, not by being asked', () => {
  using base = oneSkill();
  const known = noKnowledge();
  const memo = memoOf(known, trusting);
  const changes = (act: () => void): boolean => {
    known.isChanged = false;
    act();
    return known.isChanged;
  };
  const list = (): void => void memo.list(base.at('a'));
  const read = (): void => void memo.read(candidate(base.at('a/SKILL.md')));
  assert.deepEqual([changes(list), changes(list), changes(read), changes(read)], [true, false, true, false]);
  assert.deepEqual([changes(memo.prune), changes(memo.prune)], [false, true]);
});
