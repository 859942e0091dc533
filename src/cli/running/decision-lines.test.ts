import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalRequest } from '../../core/policy.ts';
import type { CommonFlags } from '../command.ts';
import type { Told } from '../same-models.ts';
import { decisionLines } from './decision-lines.ts';

const flags: CommonFlags = {
  ...{ json: false, quiet: false, only: false, safe: false, yes: false },
  ...{ cwd: process.cwd(), skills: [] },
};

function lines(
  more: Partial<ApprovalRequest>,
  given: Partial<CommonFlags> = {},
  models: Partial<Told> = {},
): readonly string[] {
  const asks = { skill: 'bash', input: null, reason: 'It can.', rule: 'Bash(git add *)', ...more };
  return decisionLines(
    { runId: 'r_1', id: 'q_2', asks },
    { flags: { ...flags, ...given }, own: {}, lists: {}, ...models },
  );
}

const version = { skill: 'daily', digest: 'sha256:0123456789abcdef' };

test('each choice names the rule that it keeps, and the command that makes it', () => {
  assert.deepEqual(lines({ version }, { skills: ['/a b'] }), [
    "Allow it once: skilled approve r_1/q_2 --skills '/a b'",
    "Allow Bash(git add *) in this run: skilled approve r_1/q_2 --skills '/a b' --run",
    "Allow Bash(git add *) for daily until its files change (version 0123456789ab): skilled approve r_1/q_2 --skills '/a b' --always",
    `Deny it: skilled approve r_1/q_2 --skills '/a b' --deny "<reason>"`,
  ]);
});

test('a printed command asks the models that this one was told to ask, so that the run does not end without one', () => {
  const own = { 'base-url': 'http://127.0.0.1:8080/v1', 'api-key-env': 'MY_KEY', stream: true };
  const [once] = lines({}, { offline: false }, { own, lists: { model: ['qwen3', 'plan=a/b c'] } });
  const flagged =
    "--model qwen3 --model 'plan=a/b c' --base-url http://127.0.0.1:8080/v1 --api-key-env MY_KEY";
  assert.equal(once, `Allow it once: skilled approve r_1/q_2 ${flagged} --no-offline`);
});

test('what cannot be chosen is not offered', () => {
  const flagsIn = (said: readonly string[]): readonly (string | undefined)[] =>
    said.map((line) => / (--(?:run|always|deny))\b/.exec(line)?.[1]);
  assert.deepEqual(flagsIn(lines({})), [undefined, '--run', '--deny']);
  assert.deepEqual(flagsIn(lines({ version, each: true })), [undefined, '--deny']);
  assert.deepEqual(flagsIn(lines({ version }, { safe: true })), ['--deny']);
});

test('where it is too late, the run can go on without', () => {
  const expires = Date.now() - 1;
  assert.deepEqual(lines({ version, expires }), ['Too late to decide. Go on without it: skilled resume r_1']);
  assert.equal(lines({ version, expires: Date.now() + 60_000 }).length, 4);
});

test('nothing of a rule hides, and it cannot steer the terminal', () => {
  const [, forRun = ''] = lines({ rule: 'Bash(a\u001b[2J\nb\u202ec\u200b  d)' });
  assert.ok(forRun.startsWith('Allow Bash(a\\u{1b}[2J\\nb\\u{202e}c\\u{200b}  d) in this run: '), forRun);
});
