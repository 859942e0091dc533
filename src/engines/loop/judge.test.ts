import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { CompletedCall } from './calls.ts';
import { createRepetition } from './judge.ts';

let ids = 0;

function createCall(name: string, input: Json, output: Output): CompletedCall {
  return { call: { id: `id-${(ids += 1)}`, name, input }, output };
}

function done(text: string, value?: Json): Output {
  return { status: 'done', text, ...(value === undefined ? {} : { value }) };
}

/** Returns the number of the step after which the loop was stuck, counted from 1. 0 if it never was. */
function stuckAfter(steps: readonly (readonly CompletedCall[])[]): number {
  const repetition = createRepetition();
  return steps.findIndex((step) => repetition.isStuck(step)) + 1;
}

const look = (): CompletedCall => createCall('look', { at: 'x', deep: { a: 1, b: 2 } }, done('nothing'));

describe('a repetition', () => {
  test('is the same call with the same result, three times', () => {
    assert.equal(stuckAfter([[look()], [look()], [look()]]), 3);
  });

  test('does not depend on the order of members or on the ids of calls', () => {
    const turned = createCall('look', { deep: { b: 2, a: 1 }, at: 'x' }, done('nothing'));
    assert.equal(stuckAfter([[look()], [turned], [look()]]), 3);
  });

  test('is none when input, text, value, status or code differ', () => {
    const others = [
      createCall('look', { at: 'y' }, done('nothing')),
      createCall('look', { at: 'x', deep: { a: 1, b: 2 } }, done('something')),
      createCall('look', { at: 'x', deep: { a: 1, b: 2 } }, done('nothing', 1)),
      createCall(
        'look',
        { at: 'x', deep: { a: 1, b: 2 } },
        {
          status: 'failed',
          text: 'nothing',
          error: { code: 'skill.failed', message: 'nothing' },
        },
      ),
      createCall('peek', { at: 'x', deep: { a: 1, b: 2 } }, done('nothing')),
    ];
    assert.equal(stuckAfter([[look()], [look()], ...others.map((other) => [other])]), 0);
  });

  test('is counted once a step, however often the step makes the call', () => {
    assert.equal(stuckAfter([[look(), look(), look(), look()], [look()]]), 0);
    assert.equal(stuckAfter([[look(), look()], [look()], [look()]]), 3);
  });

  test('begins again when a step brings something new', () => {
    const edit = (count: number): CompletedCall => createCall('edit', { count }, done('edited'));
    const steps = Array.from({ length: 30 }, (_, index) => [index % 3 === 2 ? edit(index) : look()]);
    assert.equal(stuckAfter(steps), 0);
    assert.equal(stuckAfter([...steps, [look()], [look()], [look()]]), 33);
  });

  test('is noticed however many calls the circle has', () => {
    for (const size of [1, 2, 5, 9]) {
      const steps = Array.from({ length: 40 }, (_, index) => [
        createCall(`tool-${index % size}`, null, done('.')),
      ]);
      assert.ok(stuckAfter(steps) > 0 && stuckAfter(steps) <= size * 4, `${size}: ${stuckAfter(steps)}`);
    }
  });
});
