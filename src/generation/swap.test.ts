import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { startGenerationWorker } from '../../test/processes/start-generation-worker.ts';
import { generate, statuses } from '../../test/support/generation-stage.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { digestFolder } from '../files/digest.ts';
import { damaged, forAny, garbageBytes } from '../testing/garbage.ts';
import { placeOf } from './generation-place.ts';
import { settleGeneration } from './settle.ts';
import { finishSwap } from './swap.ts';

const specs = { 'sum/specs/index.md': '# Index', 'sum/specs/lib/words.md': '# Words', 'sum/readme.md': 'R' };

async function skill(isNew: boolean): Promise<Tree> {
  const base = tree(specs);
  if (!isNew) await generate(base.at('sum'), { text: () => 'old' });
  return base;
}

/** The digest of the bundle with new code. */
async function foretold(): Promise<string> {
  using base = await skill(true);
  return (await generate(base.at('sum'), { text: () => 'new' })).to;
}

/** Lets a process die before it changes the disk for the so-manieth time after it began to put new code in place. */
async function dieWhile(base: Tree, task: 'once' | 'settle', dieAt: number): Promise<boolean> {
  await using worker = startGenerationWorker({ dir: base.at('sum'), task, text: 'new', dieAt });
  return (await worker.ended()) === 'SIGKILL';
}

function copyOf(base: Tree): Tree {
  const copy = tree();
  cpSync(base.path, copy.path, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const isOpen = (base: Tree): boolean => existsSync(base.at('.generation/sum/swap.json'));

/** Looks at a bundle as readers do: it has all of one code, which is as its manifest says, and nothing is left half done. */
async function checkWhole(base: Tree, digests: readonly string[]): Promise<string> {
  await settleGeneration(base.at('sum'));
  const digest = digestFolder(base.at('sum'));
  assert.ok(digests.includes(digest), readdirSync(base.at('sum')).join(' '));
  const isNone = !existsSync(base.at('sum/src'));
  const status = isNone ? 'due' : 'current';
  assert.deepEqual(statuses(base.at('sum')), { 'index.ts': status, 'lib/words.ts': status });
  assert.equal(isOpen(base), false);
  return digest;
}

for (const isNew of [false, true]) {
  const before = isNew ? 'without code' : 'with old code';
  test(`a process that dies anywhere in the swap leaves a bundle ${before} whole`, async () => {
    const after = await foretold();
    const seen = new Set<string>();
    for (let dieAt = 1; ; dieAt++) {
      using base = await skill(isNew);
      const old = digestFolder(base.at('sum'));
      if (!(await dieWhile(base, 'once', dieAt))) break;
      if (isOpen(base) && !existsSync(base.at('sum/src'))) await checkRecovery(base, after);
      seen.add((await checkWhole(base, [old, after])) === old ? 'old' : 'new');
      await generate(base.at('sum'), { text: () => 'new' });
      assert.deepEqual(readdirSync(base.at('.generation/sum')), ['lock']);
    }
    assert.deepEqual([...seen].sort(), ['new', 'old']);
  });
}

/** Lets processes die anywhere in the recovery from a state in which there is no code at all. */
async function checkRecovery(base: Tree, after: string): Promise<void> {
  for (let dieAt = 1; ; dieAt++) {
    using copy = copyOf(base);
    const hasDied = await dieWhile(copy, 'settle', dieAt);
    await checkWhole(copy, [after]);
    if (!hasDied) return;
  }
}

describe('the journal of a swap', () => {
  /** A skill with old code, beside which a process died just after it wrote the journal. */
  async function begun(): Promise<Tree> {
    for (let dieAt = 1; ; dieAt++) {
      const base = await skill(false);
      await dieWhile(base, 'once', dieAt);
      if (isOpen(base)) return base;
      base[Symbol.dispose]();
    }
  }

  test('does not go over what a person changed since', async () => {
    using base = await begun();
    base.write('sum/src/index.ts', 'mine');
    await settleGeneration(base.at('sum'));
    assert.equal(readFileSync(base.at('sum/src/index.ts'), 'utf8'), 'mine');
    assert.equal(isOpen(base), false);
  });

  test('is dropped with the new code when that is not what it was', async () => {
    using base = await begun();
    const [staging = ''] = readdirSync(base.at('.generation/sum')).filter((name) =>
      name.startsWith('staging-'),
    );
    const old = digestFolder(base.at('sum'));
    rmSync(base.at('.generation/sum', staging, 'copy/src'), { recursive: true });
    symlinkSync(base.at('sum/specs'), base.at('.generation/sum', staging, 'copy/src'));
    await checkWhole(base, [old]);
  });

  test('that leads anywhere else is removed and moves nothing', () => {
    using base = tree({ ...specs, 'sum/src/index.ts': 'mine', 'evil/copy/src/index.ts': 'evil' });
    const name = `staging-${'0'.repeat(36)}`;
    base.write(`.generation/sum/x`, '');
    symlinkSync(base.at('evil'), base.at('.generation/sum', name));
    const origin = digestFolder(base.at('sum'));
    for (const staging of ['../../evil', base.at('evil'), '..', '', name, 'lock', `${name}/../../../evil`]) {
      base.write('.generation/sum/swap.json', JSON.stringify({ version: 1, staging, origin }));
      finishSwap(placeOf(base.at('sum')));
      assert.equal(digestFolder(base.at('sum')), origin, staging);
      assert.equal(isOpen(base), false);
    }
    assert.ok(existsSync(base.at('evil/copy/src/index.ts')));
  });

  test('of any bytes is removed and moves nothing', () => {
    using base = tree({ ...specs, 'sum/src/index.ts': 'mine' });
    const place = placeOf(base.at('sum'));
    const origin = digestFolder(base.at('sum'));
    const good = JSON.stringify({ version: 1, staging: `staging-${'0'.repeat(36)}`, origin });
    for (const bytes of [garbageBytes, damaged(good)]) {
      forAny(bytes, 200, (given) => {
        base.write('.generation/sum/swap.json', given);
        finishSwap(place);
        assert.equal(isOpen(base), false);
      });
    }
    assert.equal(digestFolder(base.at('sum')), origin);
  });
});
