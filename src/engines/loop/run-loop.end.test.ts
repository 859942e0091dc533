import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done, ofType } from '../../../test/support/kernel.ts';
import { call, checkConversation, leaf, stage } from '../../../test/support/loop-stage.ts';
import { optional } from '../../core/collections.ts';

describe('a loop stops honestly', () => {
  test('when the same call came to the same three times', async () => {
    const { agent, ends } = stage(() => ({ calls: [call('look')] }), { look: leaf(() => done('nothing')) });
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'limit.loop');
    assert.deepEqual([ends[0]?.reason, ends[0]?.steps], ['loop', 3]);
  });

  test('but not when something new came in between', async () => {
    let edits = 0;
    const { agent } = stage(
      (_request, turn) =>
        turn > 8
          ? 'Done.'
          : { calls: [turn % 2 === 1 ? call('check') : call('edit', { input: `${(edits += 1)}` })] },
      { check: leaf(() => done('still red')), edit: leaf((input) => done(`edited ${input}`)) },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).text, 'Done.');
  });

  test('when it goes round through two calls', async () => {
    const { agent, ends } = stage((_request, turn) => ({ calls: [call(turn % 2 === 1 ? 'one' : 'two')] }), {
      one: leaf(() => done('1')),
      two: leaf(() => done('2')),
    });
    await agent.run({ skill: 'think' }).result;
    assert.equal(ends[0]?.reason, 'loop');
  });

  test('when the steps are used up, without making calls whose results no one would read', async () => {
    let callCount = 0;
    const { agent, ends } = stage(
      (_request, turn) => ({ text: `Try ${turn}.`, calls: [call('look', { input: `${turn}` })] }),
      { look: leaf(() => done(`${(callCount += 1)}`)) },
      { maxSteps: 3 },
    );
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'limit.steps');
    assert.deepEqual(error.details, { stopped: 'step-limit', said: 'Try 3.' });
    assert.equal(callCount, 2);
    assert.match(ends[0]?.messages.at(-1)?.text ?? '', /was not called/);
  });

  test('a call in the last step, which can only submit, is logged as refused', async () => {
    for (const submit of [undefined, { schema: { type: 'object' } } as const]) {
      const calls = [call('look', { input: 'a' }), call('none'), ...(submit ? [call('submit', {})] : [])];
      const { agent } = stage(
        [{ calls }],
        { look: leaf(() => done('.')) },
        { maxSteps: 1, ...optional('submit', submit) },
      );
      const { ok, runId } = await agent.run({ skill: 'think' }).result;
      assert.equal(ok, submit !== undefined);
      const refused = ofType(await agent.runs.events(runId), 'call.refused');
      assert.deepEqual(
        refused.map(({ skill, key, input, error }) => [skill, key, input, error.code, error.details]),
        [
          ['look', 'c1.1', { input: 'a' }, 'limit.steps', { limit: 'steps' }],
          ['none', 'c1.2', { input: '' }, 'limit.steps', { limit: 'steps' }],
        ],
      );
    }
  });

  test('when the frame has no step left', async () => {
    const { agent, ends } = stage(
      (_request, turn) => ({ calls: [call('look', { input: `${turn}` })] }),
      { look: leaf(() => done('.')) },
      {
        options: { limits: { steps: 2 } },
      },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'limit.steps');
    assert.equal(ends[0]?.reason, 'step-limit');
  });

  test('when every call fails in step after step, and counts again after one that does not', async () => {
    const { agent, ends } = stage(
      (_request, turn) => ({ calls: [call(turn === 4 ? 'works' : 'fails', { input: `${turn}` })] }),
      {
        fails: leaf(() => ({
          status: 'failed',
          text: 'No.',
          error: { code: 'skill.failed', message: 'No.' },
        })),
        works: leaf(() => done()),
      },
      { maxErrors: 5 },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'limit.errors');
    assert.deepEqual([ends[0]?.reason, ends[0]?.steps], ['error-limit', 9]);
  });

  test('when money or tokens are spent', async () => {
    for (const [limits, code] of [
      [{ cost: 0.1 }, 'limit.money'],
      [{ tokens: 50 }, 'limit.tokens'],
    ] as const) {
      const { agent, ends } = stage(
        (_request, turn) => ({
          calls: [call('look', { input: `${turn}` })],
          usage: { inputTokens: 30, outputTokens: 10, cost: 0.06 },
        }),
        { look: leaf(() => done()) },
        { options: { limits } },
      );
      assert.equal((await agent.run({ skill: 'think' }).result).error?.code, code);
      assert.deepEqual([ends[0]?.reason, ends[0]?.steps], ['budget', 3]);
    }
  });

  test('when the model fails, refuses, or is cut off, and reports what it had said', async () => {
    const turns = [
      [{ text: 'So far', reason: 'length' }, 'model.length'],
      [{ text: 'So far', reason: 'refused' }, 'model.refused'],
      [{ text: 'So far', error: { code: 'model.failed', message: 'It broke.' } }, 'model.failed'],
    ] as const;
    for (const [turn, code] of turns) {
      const { agent, ends } = stage([turn]);
      const { error } = await agent.run({ skill: 'think' }).result;
      assert.equal(error?.code, code);
      assert.equal(ends[0]?.text, 'So far');
    }
  });

  test('after a second empty answer in a row, and not after the first', async () => {
    const once = stage(['', 'Now.']);
    assert.equal((await once.agent.run({ skill: 'think' }).result).text, 'Now.');
    const twice = stage(['', ' ']);
    assert.equal((await twice.agent.run({ skill: 'think' }).result).error?.code, 'model.bad-answer');
    const apart = stage(['', { calls: [call('look')] }, '', 'Now.'], { look: leaf(() => done()) });
    assert.equal((await apart.agent.run({ skill: 'think' }).result).text, 'Now.');
  });

  test('when it is cancelled before it begins: nothing is asked', async () => {
    const { agent, model, ends } = stage(['Done.'], {}, { signal: AbortSignal.abort() });
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'usage.cancelled');
    assert.deepEqual([ends[0]?.reason, model.requests.length], ['interrupted', 0]);
  });

  test('when it is cancelled while the model speaks', async () => {
    const controller = new AbortController();
    const { agent, ends } = stage([{ text: 'So far', hang: true }], {}, { signal: controller.signal });
    const handle = agent.run({ skill: 'think' });
    for await (const event of handle.events) {
      if (event.type === 'model.started') controller.abort();
    }
    assert.equal((await handle.result).error?.code, 'usage.cancelled');
    assert.equal(ends[0]?.reason, 'interrupted');
  });

  test('when it is cancelled while calls run, and reports their outcomes', async () => {
    const controller = new AbortController();
    const look = leaf(() => {
      controller.abort();
      return done('seen');
    });
    const { agent, ends, model } = stage(
      [{ calls: [call('look'), call('look', { input: '2' })] }, 'Done.'],
      { look },
      { signal: controller.signal },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'usage.cancelled');
    assert.deepEqual([ends[0]?.reason, ends[0]?.steps, model.requests.length], ['interrupted', 1, 1]);
    assert.deepEqual(Object.keys(ends[0]?.results ?? {}), ['look-1', 'look-2']);
    checkConversation(ends[0]?.messages ?? []);
  });
});
