import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decision, PermissionRequest } from '../core/policy.ts';
import { sources } from '../core/skill.ts';
import { cautiousPolicy } from './cautious.ts';

function decide(more: Partial<PermissionRequest>): Decision {
  const request: PermissionRequest = {
    ...{
      skill: 'x',
      family: 'any',
      source: 'project',
      made: false,
      runsCode: false,
      permission: {},
      input: null,
    },
    ...more,
  };
  return cautiousPolicy.decide(request) as Decision;
}

test('what changes nothing is allowed, wherever it comes from', () => {
  for (const source of sources) {
    for (const runsCode of [true, false]) {
      assert.equal(decide({ source, runsCode, permission: { readOnly: true } }).decision, 'allow');
    }
  }
});

test('what the host itself made is allowed, and nothing that only says so', () => {
  assert.equal(decide({ made: true, source: 'explicit' }).decision, 'allow');
  assert.equal(decide({ made: false, source: 'explicit' }).decision, 'ask');
  for (const source of sources.filter((one) => one !== 'explicit')) {
    assert.equal(decide({ made: true, source }).decision, 'ask', source);
  }
});

test('a person is asked about everything else, under the label or the name of the skill', () => {
  assert.deepEqual(decide({ permission: { label: 'Write' } }), {
    decision: 'ask',
    reason: 'It can change things.',
    rule: 'Write',
  });
  assert.deepEqual(decide({ runsCode: true }), {
    decision: 'ask',
    reason: 'It can run code of its own.',
    rule: 'Skill(x)',
  });
});

test('who calls and with what makes no difference', () => {
  assert.deepEqual(decide({ caller: 'a', input: { x: 1 } }), decide({ caller: 'b', input: 'y' }));
});

test('each process is asked for, whoever made the skill, with the command to be run', () => {
  const permission = { label: 'Bash', runsProcesses: true, readOnly: true };
  const input = { command: 'git push', timeout_ms: 5 };
  for (const source of sources) {
    assert.deepEqual(decide({ made: true, source, permission, input }), {
      decision: 'ask',
      reason: 'It runs a command on this machine without a sandbox: git push',
      rule: 'Bash(git push)',
      each: true,
    });
  }
  const other = decide({ permission: { runsProcesses: true }, input: { file: 'a' } });
  assert.equal(other.decision === 'ask' && other.rule, 'x({"file":"a"})');
});

test('nothing of a command hides from whoever is asked', () => {
  const reasonOf = (command: string): string => {
    const said = decide({ permission: { runsProcesses: true }, input: { command } });
    return said.decision === 'ask' ? said.reason.replace(/^.*sandbox: /, '') : '';
  };
  assert.equal(reasonOf('echo a\nrm b'), 'echo a\\nrm b');
  assert.equal(reasonOf('a\u202eb\u200bc\u001b[1Ad\r'), 'a\\u{202e}b\\u{200b}c\\u{1b}[1Ad\\u{d}');
  assert.equal(reasonOf(`${'x'.repeat(200)}; rm -r *`), `${'x'.repeat(200)}… (9 more characters)`);
});
