import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { generate, recipe, statuses } from '../../test/support/generation-stage.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { planGeneration, type Recipe } from './plan-generation.ts';

function skill(): Tree {
  return tree({
    'sum/specs/index.md': '# Index\n\n## Dependencies\n\n- lib/parse.ts\n',
    'sum/specs/lib/parse.ts.md': '# Parse',
    'sum/specs/words.md': '# Words',
  });
}

const all = (status: string): Readonly<Record<string, string>> => {
  return { 'lib/parse.ts': status, 'index.ts': status, 'words.ts': status };
};

describe('what is to be made', () => {
  test('all at first, nothing once it was made', async () => {
    using base = skill();
    const dir = base.at('sum');
    assert.deepEqual(statuses(dir), all('due'));
    const { to } = await generate(dir);
    assert.deepEqual(statuses(dir), all('current'));
    const plan = planGeneration(dir, recipe);
    assert.equal(plan?.before?.contract, 'Adds.');
    assert.deepEqual([plan?.issues, plan?.orphans], [[], []]);
    assert.match(to, /^sha256:/);
  });

  test('a changed spec and all that depends on it', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    base.write('sum/specs/lib/parse.ts.md', '# Parse more');
    assert.deepEqual(statuses(dir), { ...all('current'), 'lib/parse.ts': 'due', 'index.ts': 'due' });
    base.write('sum/specs/lib/parse.ts.md', '# Parse');
    assert.deepEqual(statuses(dir), all('current'));
  });

  test('a file that is gone', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    rmSync(base.at('sum/src/lib/parse.ts'));
    assert.deepEqual(statuses(dir), { ...all('current'), 'lib/parse.ts': 'due' });
  });

  test('everything with another generator, tier or contract', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    for (const other of [{ generator: 'test 2' }, { tier: 'deep' }, { contract: 'Multiplies.' }]) {
      assert.deepEqual(statuses(dir, {}, { ...recipe, ...other }), all('due'));
    }
    const { generator, tier } = recipe;
    assert.deepEqual(statuses(dir, {}, { generator, tier }), all('current'));
    assert.equal(planGeneration(dir, { generator, tier })?.contract, 'Adds.');
  });

  test('everything by force', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    base.write('sum/src/words.ts', 'mine');
    assert.deepEqual(statuses(dir, { force: true }), all('due'));
  });

  test('a spec that is called otherwise makes the same file', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    renameSync(base.at('sum/specs/words.md'), base.at('sum/specs/words.ts.mds'));
    assert.deepEqual(statuses(dir), all('current'));
  });
});

describe('what a person wrote is left alone', () => {
  test('a file that was changed, also when its spec changes', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    base.write('sum/src/words.ts', 'mine');
    assert.deepEqual(statuses(dir), { ...all('current'), 'words.ts': 'drifted' });
    base.write('sum/specs/words.md', '# Other words');
    assert.deepEqual(statuses(dir), { ...all('current'), 'words.ts': 'drifted' });
  });

  test('a file that was there before its spec', () => {
    using base = skill();
    base.write('sum/src/index.ts', 'mine');
    assert.deepEqual(statuses(base.at('sum')), { ...all('due'), 'index.ts': 'drifted' });
  });

  test('everything where the manifest is damaged', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    base.write('sum/src/.generated.json', '{');
    assert.deepEqual(statuses(dir), all('drifted'));
    const plan = planGeneration(dir, recipe);
    assert.deepEqual(
      plan?.issues.map(({ level, code }) => `${level} ${code}`),
      ['warning generation.manifest'],
    );
    assert.equal(plan.before, undefined);
  });

  test('links and folders in the way, even by force', () => {
    using base = skill();
    const dir = base.at('sum');
    base.write('elsewhere/words.ts', 'x');
    mkdirSync(base.at('sum/src/index.ts'), { recursive: true });
    symlinkSync(base.at('elsewhere'), base.at('sum/src/lib'));
    symlinkSync(base.at('elsewhere/words.ts'), base.at('sum/src/words.ts'));
    const plan = planGeneration(dir, recipe, { force: true });
    assert.deepEqual(statuses(dir, { force: true }), all('drifted'));
    assert.deepEqual(
      plan?.issues.map(({ level, code }) => `${level} ${code}`),
      ['error generation.blocked', 'error generation.blocked', 'error generation.blocked'],
    );
  });
});

describe('what is left of specs that are gone', () => {
  test('goes when no one changed it, and is reported otherwise', async () => {
    using base = skill();
    const dir = base.at('sum');
    base.write('sum/specs/more.md', '# More');
    base.write('sum/specs/gone.md', '# Gone');
    await generate(dir);
    for (const name of ['words', 'more', 'gone']) rmSync(base.at(`sum/specs/${name}.md`));
    base.write('sum/src/more.ts', 'mine');
    rmSync(base.at('sum/src/gone.ts'));
    const plan = planGeneration(dir, recipe);
    assert.deepEqual(plan?.orphans, ['words.ts']);
    assert.deepEqual(
      plan.issues.map(({ code, file }) => [code, file]),
      [['generation.orphan', base.at('sum/src/more.ts')]],
    );
  });

  test('nothing is given up because of a spec that cannot be read', async () => {
    using base = skill();
    const dir = base.at('sum');
    await generate(dir);
    base.write('sum/specs/words.md', new Uint8Array([0xff]));
    const plan = planGeneration(dir, recipe, { force: true });
    assert.deepEqual([plan?.files, plan?.orphans], [[], []]);
    assert.equal(plan?.issues[0]?.level, 'error');
  });
});

describe('the hash that a failure is remembered for', () => {
  const inputs = (dir: string, force = false): string => planGeneration(dir, recipe, { force })?.inputs ?? '';

  test('is that of the place, the times and the modes of nothing', async () => {
    using base = skill();
    const before = inputs(base.at('sum'));
    cpSync(base.at('sum'), base.at('other/sum'), { recursive: true });
    chmodSync(base.at('sum/specs/words.md'), 0o755);
    assert.equal(inputs(base.at('other/sum')), before);
    assert.equal(inputs(base.at('sum'), true), before);
    await generate(base.at('sum'));
    assert.equal(inputs(base.at('sum')), before);
  });

  test('is empty if the tests are behind a link', () => {
    using base = skill();
    base.write('elsewhere/a.test.ts', '1');
    const before = inputs(base.at('sum'));
    symlinkSync(base.at('elsewhere'), base.at('sum/tests'));
    assert.equal(inputs(base.at('sum')), before);
  });

  test('changes with specs, tests and what a person wrote', () => {
    using base = skill();
    const dir = base.at('sum');
    const snapshots = [inputs(dir)];
    for (const file of ['specs/words.md', 'specs/new.md', 'tests/a.test.ts', 'src/index.ts']) {
      base.write(`sum/${file}`, 'new');
      snapshots.push(inputs(dir));
    }
    assert.equal(new Set(snapshots).size, 5);
  });
});

test('specs that lie in no file are planned as those that do: made, current, due when their words change, gone with them', async () => {
  using base = tree({ 'sum/notes.txt': '' });
  const dir = base.at('sum');
  const recipeWith = (text: string): Recipe => ({ ...recipe, specs: { 'rules.ts.md': text } });
  assert.deepEqual(statuses(dir), {});
  assert.deepEqual(statuses(dir, {}, recipeWith('One.')), { 'rules.ts': 'due' });
  await generate(dir, { recipe: recipeWith('One.') });
  assert.deepEqual(statuses(dir, {}, recipeWith('One.')), { 'rules.ts': 'current' });
  assert.deepEqual(statuses(dir, {}, recipeWith('Two.')), { 'rules.ts': 'due' });
  base.write('sum/src/rules.ts', 'by hand');
  assert.deepEqual(statuses(dir, {}, recipeWith('Two.')), { 'rules.ts': 'drifted' });
});
