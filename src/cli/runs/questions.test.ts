import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalRequest } from '../../core/policy.ts';
import type { CommonFlags } from '../command.ts';
import { spellCommand } from '../spell-command.ts';
import type { Terminal } from '../terminal.ts';
import { decisionLines } from './questions.ts';

const flags: CommonFlags = {
  json: false,
  quiet: false,
  only: false,
  safe: false,
  yes: false,
  cwd: process.cwd(),
  skills: [],
};

function lines(more: Partial<ApprovalRequest>, given: Partial<CommonFlags> = {}): readonly string[] {
  const asks = { skill: 'bash', input: null, reason: 'It can.', rule: 'Bash(git add *)', ...more };
  const context = { flags: { ...flags, ...given }, own: {}, lists: {} };
  const terminal: Terminal = {
    out: () => undefined,
    err: () => undefined,
    progress: () => undefined,
    width: undefined,
    color: false,
    spell: (command: string) => spellCommand(command, context),
  };
  return decisionLines({ runId: 'r_1', id: 'q_2', asks }, { ...context, terminal });
}

const version = { skill: 'daily', digest: 'sha256:0123456789abcdef' };

test('each choice names the rule that it keeps, and the command that makes it', () => {
  assert.deepEqual(lines({ version }, { skills: ['/a b'] }), [
    "Allow it once: skilled approve r_1/q_2 --skills '/a b'",
    "Allow Bash(git add *) in this run: skilled approve r_1/q_2 --run --skills '/a b'",
    "Allow Bash(git add *) for daily until its files change (version 0123456789ab): skilled approve r_1/q_2 --always --skills '/a b'",
    `Deny it: skilled approve r_1/q_2 --deny "<reason>" --skills '/a b'`,
  ]);
});

test('what cannot be chosen is not offered', () => {
  const flagsIn = (said: readonly string[]): readonly (string | undefined)[] =>
    said.map((line) => / (--(?:run|always|deny))\b/.exec(line)?.[1]);
  assert.deepEqual(flagsIn(lines({})), [undefined, '--run', '--deny']);
  assert.deepEqual(flagsIn(lines({ version, each: true })), [undefined, '--deny']);
  assert.deepEqual(flagsIn(lines({ version }, { safe: true })), ['--deny']);
});

test('where it is too late, the run can continue without', () => {
  const expires = Date.now() - 1;
  assert.deepEqual(lines({ version, expires }), [
    'Too late to decide. Continue without it: skilled resume r_1',
  ]);
  assert.equal(lines({ version, expires: Date.now() + 60_000 }).length, 4);
});

test('a command that is to be allowed is shown with its backticks', () => {
  const [, forRun = ''] = lines({ rule: 'Bash(echo `skilled list`)' });
  assert.ok(forRun.startsWith('Allow Bash(echo `skilled list`) in this run: skilled '), forRun);
});

test('nothing of a rule hides, and it cannot steer the terminal', () => {
  const [, forRun = ''] = lines({ rule: 'Bash(a\u001b[2J\nb\u202ec\u200b  d)' });
  assert.ok(forRun.startsWith('Allow Bash(a\\u{1b}[2J\\nb\\u{202e}c\\u{200b}  d) in this run: '), forRun);
});
