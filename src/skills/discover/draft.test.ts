import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { builtinFamilies } from '../../families/index.ts';
import { bareDisk, readCandidate, type DescriptorCandidate } from './scan-state.ts';
import { openDescriptor, type Draft } from './draft.ts';
import { defaultSkillLimits } from '../limits.ts';

const [family] = builtinFamilies;
assert.ok(family !== undefined);

/** Creates a candidate for a file in a tree. */
function candidate(files: Tree, name: string, loose = false): DescriptorCandidate {
  const file = files.at(name);
  return {
    dir: files.path,
    file,
    realFile: file,
    stem: 'stem',
    loose,
    family: family!,
    refuseHardLinks: true,
  };
}

const codes = (draft: Draft | undefined): readonly string[] | undefined =>
  draft?.issues.map(({ code }) => code);

describe('opening a descriptor', () => {
  test('reads its bytes and the state of the file', () => {
    using files = tree({ 'SKILL.md': skillText('a') });
    const { bytes, stats } = openDescriptor(files.at('SKILL.md'), defaultSkillLimits);
    assert.equal(bytes.toString(), skillText('a'));
    assert.equal(stats.size, bytes.length);
  });

  test('reads no more than one byte past the limit', () => {
    using files = tree({ 'SKILL.md': 'x'.repeat(1000) });
    const { bytes, stats } = openDescriptor(files.at('SKILL.md'), {
      ...defaultSkillLimits,
      descriptorBytes: 10,
    });
    assert.deepEqual([bytes.length, stats.size], [11, 1000]);
  });

  test('never follows a link', () => {
    using files = tree({ 'real.md': skillText('a') });
    symlinkSync('real.md', files.at('SKILL.md'));
    assert.throws(() => openDescriptor(files.at('SKILL.md'), defaultSkillLimits), { code: 'ELOOP' });
  });

  test('never blocks on a FIFO, and takes no folder', () => {
    using files = tree();
    execFileSync('mkfifo', [files.at('SKILL.md')]);
    mkdirSync(files.at('folder.md'));
    for (const name of ['SKILL.md', 'folder.md']) {
      assert.throws(() => openDescriptor(files.at(name), defaultSkillLimits), /not a regular file/);
    }
  });

  test('takes large and small ones in turn', () => {
    const large = skillText('large', 'Large.', '') + 'x'.repeat(200_000);
    using files = tree({ 'large.md': large, 'small.md': skillText('small') });
    for (const [name, text] of [
      ['large.md', large],
      ['small.md', skillText('small')],
      ['large.md', large],
    ] as const) {
      assert.equal(openDescriptor(files.at(name), defaultSkillLimits).bytes.toString(), text);
    }
  });
});

describe('a draft', () => {
  test('keeps what the registry needs', () => {
    using files = tree({ 'SKILL.md': skillText('a', 'Does a thing.') });
    const { draft } = readCandidate(candidate(files, 'SKILL.md'), defaultSkillLimits);
    assert.deepEqual(
      [draft?.name, draft?.card.description, draft?.usable, draft?.issues],
      ['a', 'Does a thing.', true, []],
    );
  });

  test('has a sum that changes with every byte', () => {
    using files = tree({ 'SKILL.md': skillText('a') });
    const sum = (): string | undefined =>
      readCandidate(candidate(files, 'SKILL.md'), defaultSkillLimits).draft?.sum;
    const before = sum();
    assert.equal(sum(), before);
    appendFileSync(files.at('SKILL.md'), '\n');
    assert.notEqual(sum(), before);
  });

  test('of exactly the most bytes is usable, of one more it is not, and says what to raise', () => {
    const text = skillText('a');
    using files = tree({ 'SKILL.md': text });
    const read = (descriptorBytes: number): Draft | undefined =>
      readCandidate(candidate(files, 'SKILL.md'), { ...defaultSkillLimits, descriptorBytes }).draft;
    assert.equal(read(text.length)?.usable, true);
    const past = read(text.length - 1);
    assert.deepEqual([past?.usable, past?.name, past?.card], [false, '', { description: '' }]);
    assert.deepEqual(codes(past), ['descriptor.too-large']);
    assert.match(past?.issues[0]?.hint ?? '', /limits\.descriptorBytes/);
  });

  test('of a loose file that is not a skill is none, however large or linked it is', () => {
    using files = tree({ 'large.md': 'x'.repeat(1000), 'skill.md': skillText('s') + 'x'.repeat(1000) });
    const limits = { ...defaultSkillLimits, descriptorBytes: 500 };
    assert.equal(readCandidate(candidate(files, 'large.md', true), limits).draft, undefined);
    assert.deepEqual(codes(readCandidate(candidate(files, 'skill.md', true), limits).draft), [
      'descriptor.too-large',
    ]);
  });

  test('of a file that is gone is unusable and says why', () => {
    using files = tree();
    const draft = bareDisk(defaultSkillLimits).read(candidate(files, 'SKILL.md'));
    assert.equal(draft?.usable, false);
    assert.deepEqual(codes(draft), ['descriptor.unreadable']);
    assert.match(draft.issues[0]?.message ?? '', /ENOENT/);
  });
});
