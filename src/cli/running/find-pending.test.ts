import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingApproval } from '../../agent/runs/pending.ts';
import { isAgentError } from '../../core/error.ts';
import { findPending } from './find-pending.ts';

const asks = { skill: 'lend', input: null, reason: 'It can.', rule: 'Lend' };
const pending = ['r_aa/q_11', 'r_aa/q_12', 'r_ab/q_11', 'r_b/q_3', 'r_bb/q_33'].map(
  (name): PendingApproval => {
    const [runId = '', id = ''] = name.split('/');
    return { runId, id, path: [], asks, at: 0, expired: false };
  },
);

function found(word: string): string {
  try {
    const { runId, id } = findPending(pending, word);
    return `${runId}/${id}`;
  } catch (thrown) {
    assert.ok(isAgentError(thrown) && thrown.code === 'usage.not-found');
    return `${thrown.message} ${thrown.hint ?? ''}`;
  }
}

test('a decision is named by its question, its run or both, and by their beginnings', () => {
  assert.equal(found('q_12'), 'r_aa/q_12');
  assert.equal(found('r_ab'), 'r_ab/q_11');
  assert.equal(found('r_aa/q_11'), 'r_aa/q_11');
  assert.equal(found('r_aa/q_12'), 'r_aa/q_12');
  assert.equal(found('r_ab/q'), 'r_ab/q_11');
  assert.equal(found('q_33'), 'r_bb/q_33');
});

test('a whole id goes before the beginning of another one', () => {
  assert.equal(found('q_3'), 'r_b/q_3');
  assert.equal(found('r_b'), 'r_b/q_3');
});

test('two runs may ask the same question, and one run two: nothing is decided by chance', () => {
  assert.equal(found('q_11'), 'q_11 stands for 2 decisions. Name one: r_aa/q_11, r_ab/q_11');
  assert.equal(found('r_aa'), 'r_aa stands for 2 decisions. Name one: r_aa/q_11, r_aa/q_12');
  assert.match(found('r_'), /^r_ stands for 5 decisions\./);
});

test('what is not there is not found', () => {
  for (const word of ['q_2', 'r_c', 'r_aa/q_3', 'r_aa/', '/q_12', '/', 'r_aa/q_12/', 'q_12/r_aa'])
    assert.equal(
      found(word),
      `Nothing that is called ${word} waits for a decision. See what does: \`skilled approve\``,
    );
});
