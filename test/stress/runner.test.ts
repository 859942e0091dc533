import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const sample = 'test/stress/fixtures/sample.ts';

/** Runs `npm run stress` with these arguments, without a PostgreSQL server, which the sample does not need. */
function stress(flags: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { NODE_TEST_CONTEXT: _ours, SKILLED_NO_SKIP: _strict, ...environment } = process.env;
  const env = { ...environment, SKILLED_TEST_POSTGRES: 'postgres://nowhere', ...more };
  const args = ['scripts/stress.js', ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
  const seeds: Record<string, string> = {};
  for (const [, number = '', seed = ''] of stdout.matchAll(/round (\d+): (-?\d+)/g)) seeds[number] = seed;
  return { status, stdout, stderr, seeds };
}

test('a seed repeats the rounds of all modes, and one round of them', () => {
  const budget = stress(['--minutes', '0.001', '--seed', '5', sample]);
  assert.equal(budget.status, 0, budget.stderr);
  assert.deepEqual(Object.keys(budget.seeds), ['0', '1']);
  assert.match(budget.stdout, /^ +\d+\.\d +4 {2}test\/stress\/fixtures\/sample\.ts$/m);
  const full = stress(['--full', '--seed', '5', sample]);
  assert.equal(full.status, 0, full.stderr);
  assert.equal(Object.keys(full.seeds).length, 5);
  assert.match(full.stdout, /^ +\d+\.\d +11 {2}test\/stress\/fixtures\/sample\.ts$/m);
  const { 0: first, 1: second, 4: last } = full.seeds;
  assert.deepEqual(budget.seeds, { 0: first, 1: second });
  assert.deepEqual(stress(['--seed', '5', '--round', '4', sample]).seeds, { 4: last });
});

test('seeds are fresh, and printed', () => {
  const [one, other] = [1, 2].map(() => stress(['--minutes', '0.001', sample]).stdout);
  const seedIn = (text = ''): string | undefined => /, seed (\d+)$/m.exec(text)?.[1];
  assert.ok(seedIn(one) !== undefined);
  assert.notEqual(seedIn(one), seedIn(other));
});

test('a failure is named with the command that repeats it', () => {
  const { status, stderr } = stress(['--minutes', '0.001', '--seed', '5', sample], { FAILS_AT: '1' });
  assert.equal(status, 1);
  const command = /^ {2}npm run stress -- (.+)$/m.exec(stderr)?.[1];
  assert.equal(command, `--seed 5 --round 1 ${sample}`);
  const again = stress(command.split(' '), { FAILS_AT: '1' });
  assert.equal(again.status, 1);
  assert.deepEqual(Object.keys(again.seeds), ['1']);
});

test('with SKILLED_NO_SKIP a skipped test is a failure', () => {
  const flags = ['--minutes', '0.001', sample];
  assert.equal(stress(flags, { SKIPS: '1' }).status, 0);
  assert.equal(stress(flags, { SKIPS: '1', SKILLED_NO_SKIP: '1' }).status, 1);
});

test('arguments that make no sense are refused', () => {
  for (const flags of [
    ['--minutes', '0'],
    ['--minutes', '1', '--full'],
    ['--seed', 'x'],
    ['--sead', '5'],
  ]) {
    assert.equal(stress(flags).status, 2, flags.join(' '));
  }
});
