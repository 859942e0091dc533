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
