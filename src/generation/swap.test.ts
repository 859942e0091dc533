import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { statesDuring, type DiskStates } from '../../test/support/disk-states.ts';
import { generate, statuses } from '../../test/support/generation-stage.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { digestFolder } from '../files/digest.ts';
import { damaged, forAny, garbageBytes } from '../testing/garbage.ts';
import { generationPaths } from './state-folder.ts';
import { settleGeneration } from './lock.ts';
import { finishSwap } from './swap.ts';

const specs = { 'sum/specs/index.md': '# Index', 'sum/specs/lib/words.md': '# Words', 'sum/readme.md': 'R' };

async function skill(isNew: boolean): Promise<Tree> {
  const base = tree(specs);
  if (!isNew) await generate(base.at('sum'), { text: () => 'old' });
  return base;
}

/** Returns all states of the disk during a swap of the code. */
function swapStates(base: Tree): Promise<DiskStates> {
  return statesDuring(base, (begin) =>
    generate(base.at('sum'), { force: true, text: () => 'new', beforeSwap: begin }),
  );
}

const isOpen = (base: Tree): boolean => existsSync(base.at('.generation/sum/swap.json'));
const hasCode = (base: Tree): boolean => existsSync(base.at('sum/src'));

/**
 * Reads a bundle and checks that it contains exactly one version of the code, which matches its manifest, and
 * no unfinished work.
 */
async function settled(base: Tree, digests: readonly string[]): Promise<string> {
  await settleGeneration(base.at('sum'));
  const digest = digestFolder(base.at('sum'));
  assert.ok(digests.includes(digest), readdirSync(base.at('sum')).join(' '));
  const status = hasCode(base) ? 'current' : 'due';
  assert.deepEqual(statuses(base.at('sum')), { 'index.ts': status, 'lib/words.ts': status });
  assert.equal(isOpen(base), false);
  return digest;
}

for (const isNew of [false, true]) {
  test(`a swap that ends anywhere leaves a bundle ${isNew ? 'without' : 'with old'} code whole`, async () => {
    using base = await skill(isNew);
    const old = digestFolder(base.at('sum'));
    using states = await swapStates(base);
    const after = digestFolder(base.at('sum'));
    const outcomes: string[] = [];
    let without = 0;
    for (const state of states.all) {
      if (isOpen(state) && !hasCode(state)) {
        without += 1;
        using recovery = await statesDuring(state, async (begin) => {
          begin();
          await settleGeneration(state.at('sum'));
        });
        assert.ok(recovery.all.length > 2);
        for (const half of recovery.all) await settled(half, [after]);
      }
      outcomes.push((await settled(state, [old, after])) === old ? 'old' : 'new');
      await generate(state.at('sum'), { text: () => 'new' });
      assert.deepEqual(readdirSync(state.at('.generation/sum')), ['lock']);
    }
    assert.deepEqual([...new Set(outcomes)], ['old', 'new']);
    assert.ok(without > 0);
  });
}

describe('the journal of a swap', () => {
  /** Creates a skill with old code, as left by a process that dies just after it wrote the journal. */
  async function withBegun(check: (base: Tree) => Promise<void>): Promise<void> {
    using base = await skill(false);
    using states = await swapStates(base);
    const begun = states.all.find((state) => isOpen(state) && hasCode(state));
    assert.ok(begun);
    await check(begun);
  }

  test('does not go over what a person changed since', () =>
    withBegun(async (base) => {
      base.write('sum/src/index.ts', 'mine');
      await settleGeneration(base.at('sum'));
      assert.equal(readFileSync(base.at('sum/src/index.ts'), 'utf8'), 'mine');
      assert.equal(isOpen(base), false);
    }));

  test('is dropped with new code that is not what it was', () =>
    withBegun(async (base) => {
      const names = readdirSync(base.at('.generation/sum'));
      const staged = base.at(
        '.generation/sum',
        names.find((name) => name.startsWith('staging-'))!,
        'copy/src',
      );
      const old = digestFolder(base.at('sum'));
      rmSync(staged, { recursive: true });
      symlinkSync(base.at('sum/specs'), staged);
      await settled(base, [old]);
    }));

  test('that leads anywhere else is removed and moves nothing', () => {
    using base = tree({ ...specs, 'sum/src/index.ts': 'mine', 'evil/copy/src/index.ts': 'evil' });
    const name = `staging-${'0'.repeat(36)}`;
    base.write(`.generation/sum/x`, '');
    symlinkSync(base.at('evil'), base.at('.generation/sum', name));
    const origin = digestFolder(base.at('sum'));
    for (const staging of ['../../evil', base.at('evil'), '..', '', name, 'lock', `${name}/../../../evil`]) {
      base.write('.generation/sum/swap.json', JSON.stringify({ version: 1, staging, origin }));
      finishSwap(generationPaths(base.at('sum')));
      assert.equal(digestFolder(base.at('sum')), origin, staging);
      assert.equal(isOpen(base), false);
    }
    assert.ok(existsSync(base.at('evil/copy/src/index.ts')));
  });

  test('of any bytes is removed and moves nothing', () => {
    using base = tree({ ...specs, 'sum/src/index.ts': 'mine' });
    const paths = generationPaths(base.at('sum'));
    const origin = digestFolder(base.at('sum'));
    const good = JSON.stringify({ version: 1, staging: `staging-${'0'.repeat(36)}`, origin });
    for (const bytes of [garbageBytes, damaged(good)]) {
      forAny(bytes, 200, (given) => {
        base.write('.generation/sum/swap.json', given);
        finishSwap(paths);
        assert.equal(isOpen(base), false);
      });
    }
    assert.equal(digestFolder(base.at('sum')), origin);
  });
});
