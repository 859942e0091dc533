import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { generate, recipe } from '../../test/support/generation-stage.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import type { GeneratedCode } from '../core/family.ts';
import { damaged, forAny, garbageBytes } from '../testing/garbage.ts';
import { planGeneration } from './plan-generation.ts';
import {
  clearFailure,
  inspectGeneration,
  readFailure,
  writeFailure,
  type GenerationFailure,
} from './status.ts';

const failure: GenerationFailure = {
  inputs: 'sha256:1',
  at: 1_790_000_000_000,
  runId: 'r1',
  error: {
    code: 'skill.failed',
    message: 'It does not compile.\nLine 2.',
    hint: 'Look.',
    details: { line: 2 },
  },
};

test('a failure is remembered beside the bundle until it is forgotten', () => {
  using base = tree({ 'sum/specs/a.md': '' });
  const dir = base.at('sum');
  assert.equal(readFailure(dir), undefined);
  writeFailure(dir, failure);
  assert.deepEqual(readFailure(dir), failure);
  writeFailure(dir, { ...failure, inputs: 'sha256:2' });
  assert.equal(readFailure(dir)?.inputs, 'sha256:2');
  assert.deepEqual(readdirSync(dir), ['specs']);
  assert.deepEqual(readdirSync(base.at('.generation/sum')), ['failure.json']);
  assert.equal(readFileSync(base.at('.generation/.gitignore'), 'utf8'), '*\n');
  clearFailure(dir);
  clearFailure(dir);
  assert.equal(readFailure(dir), undefined);
});

test('it is the same through a link to the bundle', () => {
  using base = tree({ 'real/sum/specs/a.md': '', 'links/x': '' });
  symlinkSync(base.at('real/sum'), base.at('links/total'));
  writeFailure(base.at('links/total'), failure);
  assert.deepEqual(readFailure(base.at('real/sum')), failure);
});

test('a place that is a link is not written to', () => {
  using base = tree({ 'sum/specs/a.md': '', 'elsewhere/x': '' });
  symlinkSync(base.at('elsewhere'), base.at('.generation'));
  assert.throws(() => writeFailure(base.at('sum'), failure), { code: 'skill.failed' });
  assert.deepEqual(readdirSync(base.at('elsewhere')), ['x']);
});

test('any bytes give a failure or none, never an error', () => {
  using base = tree({ 'sum/specs/a.md': '' });
  const dir = base.at('sum');
  writeFailure(dir, failure);
  const file = '.generation/sum/failure.json';
  for (const bytes of [garbageBytes, damaged(readFileSync(base.at(file), 'utf8'))]) {
    forAny(bytes, 200, (given) => {
      base.write(file, given);
      const read = readFailure(dir);
      assert.ok(read === undefined || !Number.isNaN(new Date(read.at).getTime()));
    });
  }
});

function skill(): Tree {
  return tree({ 'sum/specs/index.md': '# Index', 'sum/specs/words.md': '# Words' });
}

function inspect(base: Tree): GeneratedCode {
  const generated = inspectGeneration(base.at('sum'), recipe);
  assert.ok(generated);
  return generated;
}

function fail(base: Tree): void {
  const dir = base.at('sum');
  const { inputs } = planGeneration(dir, recipe)!;
  const error = { code: 'skill.failed', message: 'Line 3 does not compile.\nMore.' } as const;
  writeFailure(dir, { inputs, at: Date.UTC(2026, 2, 4, 5, 6, 7), runId: 'r', error });
}

const codes = ({ issues }: GeneratedCode): readonly string[] =>
  issues.map(({ level, code }) => `${level} ${code}`);

test('a skill without specs was not made of any', () => {
  using base = tree({ 'sum/src/index.ts': '' });
  assert.equal(inspectGeneration(base.at('sum'), recipe), undefined);
});

test('what is due is reported with the way to make it', () => {
  using base = skill();
  const generated = inspect(base);
  assert.equal(generated.status, 'due');
  assert.deepEqual(generated.files, [
    { path: 'src/index.ts', from: 'specs/index.md', status: 'due' },
    { path: 'src/words.ts', from: 'specs/words.md', status: 'due' },
  ]);
  assert.deepEqual(codes(generated), ['info generation.due', 'info generation.due']);
  assert.match(generated.issues[0]?.hint ?? '', /`skilled build sum`/);
});

test('what is current has the hash of its bytes and no findings', async () => {
  using base = skill();
  await generate(base.at('sum'), { text: () => 'abc' });
  const generated = inspect(base);
  assert.equal(generated.status, 'current');
  assert.deepEqual(generated.issues, []);
  assert.equal(
    generated.files[0]?.digest,
    'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test('a failure counts until something changes that it came of', () => {
  using base = skill();
  fail(base);
  const generated = inspect(base);
  assert.equal(generated.status, 'failed');
  const issue = generated.issues.find(({ code }) => code === 'generation.failed');
  assert.equal(issue?.level, 'error');
  assert.equal(issue.message, 'Code generation failed on 2026-03-04 05:06 UTC: Line 3 does not compile.');
  assert.match(issue.hint ?? '', /`skilled build sum`/);
  base.write('sum/specs/words.md', '# Other words');
  assert.equal(inspect(base).status, 'due');
  base.write('sum/specs/words.md', '# Words');
  assert.equal(inspect(base).status, 'failed');
  base.write('sum/tests/index.test.ts', 'other');
  assert.equal(inspect(base).status, 'due');
});

test('new code in its place makes the failure forgotten', async () => {
  using base = skill();
  fail(base);
  await generate(base.at('sum'));
  assert.equal(inspect(base).status, 'current');
});

test('a failure is graver than a change by hand, and that is graver than what is due', async () => {
  using base = skill();
  await generate(base.at('sum'));
  base.write('sum/specs/words.md', '# Other words');
  base.write('sum/src/index.ts', 'mine');
  const generated = inspect(base);
  assert.equal(generated.status, 'drifted');
  assert.deepEqual(codes(generated), ['warning generation.drifted', 'info generation.due']);
  assert.match(generated.issues[0]?.hint ?? '', /`skilled build sum --force`/);
  fail(base);
  assert.equal(inspect(base).status, 'failed');
});

test('what goes with its spec is due', async () => {
  using base = skill();
  await generate(base.at('sum'));
  rmSync(base.at('sum/specs/words.md'));
  const generated = inspect(base);
  assert.equal(generated.status, 'due');
  assert.deepEqual(
    generated.files.map(({ path }) => path),
    ['src/index.ts'],
  );
  assert.match(generated.issues[0]?.message ?? '', /^src\/words\.ts will be removed: its spec is gone\.$/);
});

test('specs with an error are a failure', () => {
  using base = skill();
  base.write('sum/specs/Index.ts.md', '');
  const generated = inspect(base);
  assert.equal(generated.status, 'failed');
  assert.deepEqual(codes(generated), ['error spec.clash']);
});
