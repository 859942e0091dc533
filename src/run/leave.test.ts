import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveKeys, leaveOf } from './leave.ts';

const rule = 'Trust(deploy@0123456789ab)';

test('leave for the run about the files of a skill is for those files, however alike their rules look', () => {
  const [one, other] = ['sha256:0123456789ab1', 'sha256:0123456789ab2'].map((digest) =>
    leaveKeys({ skill: 'deploy', rule, version: { skill: 'deploy', digest } }),
  );
  assert.notEqual(one?.run, other?.run);
});

test('leave for the run about a tool is for every caller of the run, leave for a version is not', () => {
  const [one, other] = ['sha256:1', 'sha256:2'].map((digest) =>
    leaveKeys({ skill: 'write', rule: 'Write', version: { skill: 'caller', digest } }),
  );
  assert.equal(one?.run, other?.run);
  assert.notEqual(one?.lasting, other?.lasting);
});

test('what is asked every time gives leave for nothing else', () => {
  assert.equal(leaveOf({ skill: 'x', rule: 'X', each: true }, { allow: 'run' }), undefined);
});
