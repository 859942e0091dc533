import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSop } from '../check/check-sop.ts';
import type { CheckedPlan } from '../checked-plan.ts';
import { createRecords, type StepExecution } from './records.ts';
import type { StepRecord } from '../plan-run.ts';

const execution = (variable: string, command: string, input: string, index?: number): StepExecution => ({
  variable,
  ...(index === undefined ? {} : { index }),
  command,
  input,
});
const success = (variable: string, command: string, input: string, value: string): StepRecord => ({
  ...execution(variable, command, input),
  value: { status: 'success', value },
});
const failure = (variable: string): StepRecord => ({
  ...execution(variable, 'assign', 'x'),
  value: { status: 'fail', error: { code: 'skill.failed', message: 'no' }, origin: variable },
});

test('a record is claimed once, by its own variable and item', () => {
  const item = { ...success('a', 'assign', 'x', 'item'), index: 0 };
  const records = createRecords(
    plan('@a assign 1'),
    { records: [item, success('a', 'assign', 'x', 'whole')] },
    false,
  );
  assert.equal(records.claim(execution('a', 'assign', 'y')), undefined);
  assert.equal(records.claim(execution('a', 'other', 'x')), undefined);
  assert.equal(records.claim(execution('a', 'assign', 'x', 1)), undefined);
  assert.deepEqual(records.claim(execution('a', 'assign', 'x')), { status: 'success', value: 'whole' });
  assert.equal(records.claim(execution('a', 'assign', 'x')), undefined);
  assert.deepEqual(records.claim(execution('a', 'assign', 'x', 0)), { status: 'success', value: 'item' });
});

test('one whose variable left the plan goes to an equal execution, and is its own from then on', () => {
  const before = {
    records: [success('gone', 'assign', 'x', 'first'), success('gone', 'assign', 'y', 'second')],
  };
  const records = createRecords(plan('@a assign 1\n@b assign 1'), before, false);
  assert.equal(records.claim(execution('a', 'assign', 'x')), undefined);
  assert.deepEqual(records.claimMoved(execution('a', 'assign', 'x')), { status: 'success', value: 'first' });
  assert.equal(records.claimMoved(execution('b', 'assign', 'x')), undefined);
  assert.deepEqual(records.state().records, [success('a', 'assign', 'x', 'first'), before.records[1]]);
});

test('one whose variable is still there goes to no one else', () => {
  const records = createRecords(
    plan('@i assign 1\n@a assign $i\n@b assign 1'),
    { records: [success('a', 'assign', 'x', '')] },
    false,
  );
  assert.equal(records.claimMoved(execution('b', 'assign', 'x')), undefined);
});

test('one whose variable means another command by now goes to an equal execution', () => {
  const records = createRecords(
    plan('@a final_answer 1\n@b assign 1'),
    { records: [success('a', 'assign', 'x', 'first')] },
    false,
  );
  assert.deepEqual(records.claimMoved(execution('b', 'assign', 'x')), { status: 'success', value: 'first' });
});

test('one of an item goes to another item of the same variable, and is claimed once all the same', () => {
  const item = { ...success('a', 'assign', 'x', 'item'), index: 0 };
  const records = createRecords(plan('@i assign 1\n@a each $i assign'), { records: [item] }, false);
  assert.equal(records.claimMoved(execution('a', 'assign', 'x', 3)), undefined);
  records.release('a');
  assert.deepEqual(records.claimMoved(execution('a', 'assign', 'x', 3)), {
    status: 'success',
    value: 'item',
  });
  assert.equal(records.claim(execution('a', 'assign', 'x', 0)), undefined);
  assert.deepEqual(
    records.state().records.map(({ index }) => index),
    [3],
  );
});

test('a failure goes to no one else, even when its variable is gone', () => {
  const records = createRecords(plan('@a assign 1'), { records: [failure('gone')] }, false);
  assert.equal(records.claimMoved(execution('a', 'assign', 'x')), undefined);
});

test('what a plan adds is for later plans', () => {
  const records = createRecords(plan('@a assign 1'), { records: [] }, false);
  records.add(success('a', 'assign', 'x', 'new'));
  assert.equal(records.claim(execution('a', 'assign', 'x')), undefined);
  const later = createRecords(plan('@b assign 1'), records.state(), false);
  assert.deepEqual(later.claimMoved(execution('b', 'assign', 'x')), { status: 'success', value: 'new' });
});

test('failures belong to their script', () => {
  const same = plan('@a assign 1');
  const state = createRecords(same, { records: [failure('a')] }, false).state();
  assert.equal(state.records.length, 1);
  assert.equal(createRecords(same, state, false).claim(execution('a', 'assign', 'x'))?.status, 'fail');
  assert.equal(createRecords(same, state, true).claim(execution('a', 'assign', 'x')), undefined);
  assert.equal(
    createRecords(plan('@a assign 1 '), state, false).claim(execution('a', 'assign', 'x')),
    undefined,
  );
});

function plan(script: string): CheckedPlan {
  const { plan: checked } = checkSop(script, []);
  assert.ok(checked);
  return checked;
}
