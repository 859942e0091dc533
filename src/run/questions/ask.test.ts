import assert from 'node:assert/strict';
import { afterEach, describe, mock, test } from 'node:test';
import { agentWith, codeOf, done, ofType, settled, textOf, type Run } from '../../../test/support/kernel.ts';
import { isAgentError } from '../../core/error.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { explainRun } from '../../views/why.ts';

const hour = 3_600_000; // milliseconds

/** Advances the clock, also for agents that are created later. */
function later(milliseconds: number): void {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + milliseconds });
}

afterEach(() => mock.timers.reset());

/** Asks with a deadline in one hour, which it computes again each time. */
const asks: Run = async (_input, scope) =>
  done(`to the ${textOf(await scope.ask({ text: 'Which way?', expires: Date.now() + hour }))}`);

const echo: Run = (input) => done(textOf(input));
const context = { sessionId: 's' };

async function askedIn(store: Store, skill: Run = asks): Promise<string> {
  await using agent = agentWith({ asks: skill }, { store });
  const { runId, status, question } = await agent.executePrompt('/asks', { context });
  assert.deepEqual([status, typeof question?.expires], ['waiting', 'number']);
  return runId;
}

describe('a question that expires', () => {
  test('is answered in time, also where it is resumed later', async () => {
    const store = createMemoryStore();
    const runId = await askedIn(store);
    {
      await using other = agentWith({}, { store }); // knows only the store
      await other.runs.answer(runId, 'left');
    }
    later(2 * hour);
    await using agent = agentWith({ asks }, { store });
    await assert.rejects(agent.runs.answer(runId, 'right', questionIn(await agent.runs.events(runId))), {
      code: 'usage.bad-input',
    });
    assert.equal((await settled(agent.runs.resume(runId).result)).text, 'to the left');
  });

  test('takes no answer that comes too late: its run ends without', async () => {
    const store = createMemoryStore();
    const runId = await askedIn(store);
    later(2 * hour);
    await using agent = agentWith({ asks }, { store });
    await assert.rejects(agent.runs.answer(runId, 'left'), { code: 'policy.expired' });
    const result = await agent.runs.result(runId);
    assert.deepEqual([result.status, codeOf(result)], ['failed', 'policy.expired']);
    assert.equal(result.error?.message, 'The question "Which way?" was not answered in time.');
    assert.ok(result.error?.hint);
    const events = await agent.runs.events(runId);
    assert.deepEqual(
      ofType(events, 'input.resolved').map(({ answer, error }) => [answer, error?.code]),
      [[null, 'policy.expired']],
    );
    assert.ok(
      explainRun(events).some(({ kind, text }) => kind === 'question-expired' && text.includes('Which way?')),
    );
    await assert.rejects(agent.runs.answer(runId, 'left'), { code: 'usage.bad-input' });
  });

  test('ends with the next prompt of its session, which is not an answer to it', async () => {
    for (const prompt of ['left', '/echo left']) {
      const store = createMemoryStore();
      const runId = await askedIn(store);
      later(2 * hour);
      await using agent = agentWith({ asks, echo }, { store });
      assert.equal(await agent.runs.waitingIn('s'), undefined);
      const next = await settled(agent.executePrompt(prompt, { context }));
      assert.deepEqual([next.runId === runId, next.stillOpen], [false, undefined]);
      assert.equal(next.text === 'left', prompt === '/echo left');
      assert.equal(codeOf(await agent.runs.result(runId)), 'policy.expired');
      mock.timers.reset();
    }
  });

  test('stays as it is where its skill is not known, and ends where it is', async () => {
    const store = createMemoryStore();
    const runId = await askedIn(store);
    later(2 * hour);
    {
      await using other = agentWith({ echo }, { store });
      assert.equal((await other.executePrompt('/echo 1', { context })).text, '1');
      await assert.rejects(other.runs.answer(runId, 'left'), { code: 'policy.expired' });
      assert.equal((await other.runs.result(runId)).status, 'waiting');
    }
    await using agent = agentWith({ asks }, { store });
    assert.equal(codeOf(await settled(agent.runs.resume(runId).result)), 'policy.expired');
  });

  test('lets a skill that is ready for it continue, the same way whenever it runs again', async () => {
    const answers: string[] = [];
    const ready: Run = async (_input, scope) => {
      const way = await scope
        .ask({ text: 'Which way?', expires: (await scope.now()) + hour })
        .catch((thrown: unknown) => (isAgentError(thrown) ? thrown.code : 'other'));
      answers.push(textOf(way));
      return done(`${textOf(way)}, then ${textOf(await scope.ask('And now?'))}`);
    };
    const store = createMemoryStore();
    const runId = await askedIn(store, ready);
    later(2 * hour);
    await using agent = agentWith({ asks: ready, echo }, { store });
    const between = await settled(agent.executePrompt('/echo 1', { context }));
    assert.deepEqual([between.text, between.stillOpen?.text], ['1', 'And now?'], 'nobody had seen it before');
    const end = await settled(agent.executePrompt('home', { context }));
    assert.deepEqual([end.runId, end.text], [runId, 'policy.expired, then home']);
    assert.deepEqual(answers, ['policy.expired', 'policy.expired']);
  });

  test('is over while its run continues with something else', async () => {
    const over = Promise.withResolvers<string>();
    const beside: Run = async (_input, scope) => {
      const asked = scope.ask({ text: 'Which way?', expires: (await scope.now()) + 20 });
      asked.catch((thrown: unknown) => {
        over.resolve(isAgentError(thrown) ? thrown.code : 'other');
      });
      return done(await scope.step('work', () => over.promise));
    };
    await using agent = agentWith({ beside });
    assert.equal((await settled(agent.run({ skill: 'beside' }).result)).text, 'policy.expired');
  });

  test('that is late already, or ends at no moment, is not waited for', async () => {
    const cases: readonly (readonly [number, string])[] = [
      [1, 'policy.expired'],
      [Date.now(), 'policy.expired'],
      [Number.NaN, 'usage.bad-input'],
    ];
    for (const [expires, code] of cases) {
      await using agent = agentWith({
        top: async (_input, scope) => done(textOf(await scope.ask({ text: 'x\ny', expires }))),
      });
      const result = await settled(agent.run({ skill: 'top' }).result);
      assert.equal(codeOf(result), code);
      if (code === 'policy.expired') assert.match(result.text, /"x…"/);
    }
  });

  test('that a program is asked ends when it is too late, whether an answer comes or not', async () => {
    const soon: Run = async (_input, scope) =>
      done(textOf(await scope.ask({ text: 'Which way?', expires: (await scope.now()) + 20 })));
    await using agent = agentWith({ soon });
    const readers = [
      (_question: unknown, signal: AbortSignal) =>
        new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('left'))),
      () => new Promise<never>(() => undefined),
    ];
    for (const inputReader of readers) {
      const options = { context: { ...context, io: { inputReader } } };
      const result = await settled(agent.executePrompt('/soon', options));
      assert.deepEqual([result.status, codeOf(result)], ['failed', 'policy.expired']);
    }
  });
});

function questionIn(events: Parameters<typeof ofType>[0]): string {
  return ofType(events, 'input.requested')[0]?.id ?? '';
}
