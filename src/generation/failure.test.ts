import assert from 'node:assert/strict';
import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { damaged, forAny, garbageBytes } from '../testing/garbage.ts';
import { tree } from '../../test/support/tree.ts';
import { clearFailure, readFailure, writeFailure, type GenerationFailure } from './failure.ts';

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
