import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answered,
  asked,
  at,
  begin,
  called,
  ended,
  log,
  modelEnded,
  modelStarted,
  resumed,
  waiting,
} from '../../test/support/events.ts';
import { sumUsage } from './usage.ts';

test('totals, by skill and by model', () => {
  const usage = sumUsage(
    log(
      ...begin('daily'),
      ...[at(200, modelStarted('f1', 'm1', 'any/large'))],
      ...[at(400, modelEnded('f1', 'm1', { inputTokens: 100, outputTokens: 10, cost: 0.25 }))],
      ...[at(400, called('f2', 'f1', 'notes')), at(500, modelStarted('f2', 'm1'))],
      ...[at(600, modelEnded('f2', 'm1', { inputTokens: 20, outputTokens: 2 })), at(700, ended('f2'))],
      ...[at(700, called('f3', 'f1', 'notes', { leaf: true })), at(800, asked('f3', 'q', '?'))],
      ...[at(900, waiting('q-f3-q')), at(5000, resumed), at(5000, answered('f3', 'q', 1))],
      ...[at(5100, modelStarted('f3', 'm1')), at(5200, resumed), at(5300, modelStarted('f3', 'm1'))],
      ...[at(5400, modelEnded('f3', 'm1', { inputTokens: 1, outputTokens: 1, cost: 0.5 }))],
    ),
  );
  assert.deepEqual(usage, {
    total: { calls: 3, modelSteps: 3, inputTokens: 121, outputTokens: 13, cost: 0.75, activeMs: 1200 },
    bySkill: [
      {
        name: 'daily',
        calls: 1,
        modelSteps: 1,
        inputTokens: 100,
        outputTokens: 10,
        cost: 0.25,
        activeMs: 300,
      },
      { name: 'notes', calls: 2, modelSteps: 2, inputTokens: 21, outputTokens: 3, cost: 0.5, activeMs: 700 },
    ],
    byModel: [
      {
        name: 'any/large',
        calls: 1,
        modelSteps: 1,
        inputTokens: 100,
        outputTokens: 10,
        cost: 0.25,
        activeMs: 200,
      },
      {
        name: 'any/small',
        calls: 3,
        modelSteps: 2,
        inputTokens: 21,
        outputTokens: 3,
        cost: 0.5,
        activeMs: 300,
      },
    ],
  });
});

test('nothing was used', () => {
  const none = { calls: 0, modelSteps: 0, inputTokens: 0, outputTokens: 0, activeMs: 0 };
  assert.deepEqual(sumUsage([]), { total: none, bySkill: [], byModel: [] });
});
