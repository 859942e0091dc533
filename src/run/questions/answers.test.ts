import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  hang,
  ofType,
  runProgram,
  settled,
  textOf,
  until,
  valueOf,
  type Run,
} from '../../../test/support/kernel.ts';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import type { RunResult } from '../../core/run.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/** Runs a skill until it waits for answers. */
async function waitingRun(agent: BareAgent, skill = 'top'): Promise<RunResult> {
  const result = await settled(agent.run({ skill }).result, 'the run');
  assert.equal(result.status, 'waiting', codeOf(result));
  return result;
}

async function resumed(agent: BareAgent, runId: string): Promise<RunResult> {
  return settled(agent.runs.resume(runId).result, 'the resumed run');
}

const three: Run = async (_input, scope) => {
  const answers = await Promise.all(['one', 'two', 'three'].map((text) => scope.ask(text)));
  return done(answers.map(textOf).join(' '), answers);
};

describe('a question', () => {
  test('makes the run wait, and its answer is what the skill gets', async () => {
    let times = 0;
    await using agent = agentWith({
      top: async (_input, scope) => {
        await scope.step('before', () => ++times);
        const name = await scope.ask({ text: 'Who?', options: ['a', 'b'] });
        return done(`hello ${textOf(name)}`);
      },
    });
    const { runId, question, text } = await waitingRun(agent);
    assert.deepEqual(
      [text, question?.text, question?.options, question?.kind, question?.path],
      ['Who?', 'Who?', ['a', 'b'], 'input', ['top']],
    );
    await agent.runs.answer(runId, 'somebody else');
    assert.equal((await resumed(agent, runId)).text, 'hello somebody else');
    assert.equal(times, 1);
  });

  test('with a schema takes only an answer that fits, with its defaults, and stays open otherwise', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, s: { type: 'string', default: 'x' } },
      required: ['n'],
    };
    await using agent = agentWith({
      top: async (_input, scope) => done('', await scope.ask({ text: 'How many?', schema })),
    });
    const { runId } = await waitingRun(agent);
    await assert.rejects(agent.runs.answer(runId, { n: 'many' }), { code: 'usage.bad-input' });
    assert.equal((await resumed(agent, runId)).status, 'waiting');
    await agent.runs.answer(runId, { n: 3 });
    assert.deepEqual(valueOf(await resumed(agent, runId)), { n: 3, s: 'x' });
  });

  test('with a schema that cannot be used is not asked', async () => {
    await using agent = agentWith({
      top: async (_input, scope) =>
        done(
          await scope.ask({ text: 'x', schema: { type: 'nonsense' } }).then(
            () => 'answered',
            () => 'refused',
          ),
        ),
    });
    const result = await settled(agent.run({ skill: 'top' }).result);
    assert.equal(result.text, 'refused');
  });

  test('is answered by its id in any order', async () => {
    await using agent = agentWith({ top: three });
    const { runId } = await waitingRun(agent);
    const ids = ofType(await agent.runs.events(runId), 'input.requested').map(({ id }) => id);
    await agent.runs.answer(runId, 'C', ids[2]);
    assert.equal((await resumed(agent, runId)).status, 'waiting');
    await agent.runs.answer(runId, 'A', ids[0]);
    await agent.runs.answer(runId, 'B', ids[1]);
    assert.equal((await resumed(agent, runId)).text, 'A B C');
  });

  test('is answered oldest first without an id', async () => {
    await using agent = agentWith({ top: three });
    const { runId } = await waitingRun(agent);
    for (const answer of ['A', 'B', 'C']) {
      await agent.runs.answer(runId, answer);
      await resumed(agent, runId);
    }
    assert.equal((await agent.runs.result(runId)).text, 'A B C');
  });

  test('that was answered does not block the next one', async () => {
    await using agent = agentWith({ top: three });
    const { runId } = await waitingRun(agent);
    for (const answer of ['A', 'B', 'C']) await agent.runs.answer(runId, answer);
    assert.equal((await resumed(agent, runId)).text, 'A B C');
  });

  test('takes one answer: the first', async () => {
    await using agent = agentWith({ top: async (_input, scope) => done(textOf(await scope.ask('x'))) });
    const { runId, question } = await waitingRun(agent);
    await agent.runs.answer(runId, 'first', question?.id);
    await assert.rejects(agent.runs.answer(runId, 'second', question?.id), { code: 'usage.bad-input' });
    assert.equal((await resumed(agent, runId)).text, 'first');
    await assert.rejects(agent.runs.answer(runId, 'third', question?.id), { code: 'usage.not-found' });
    await assert.rejects(agent.runs.answer(runId, 'third'), { code: 'usage.bad-input' });
  });

  test('that was not asked has no answer', async () => {
    await using agent = agentWith({ top: () => done() });
    const { runId } = await agent.run({ skill: 'top' }).result;
    await assert.rejects(agent.runs.answer(runId, 'x'), { code: 'usage.bad-input' });
    await assert.rejects(agent.runs.answer('r_nothing', 'x'), { code: 'usage.not-found' });
  });

  test('is answered during other work, and the run continues without being suspended', async () => {
    const release = Promise.withResolvers<number>();
    await using agent = agentWith({
      top: async (_input, scope) => {
        const [answer, worked] = await Promise.all([
          scope.ask('x'),
          scope.step('work', () => release.promise),
        ]);
        return done(`${textOf(answer)} ${worked}`);
      },
    });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'input.requested').length > 0);
    await agent.runs.answer(run.id, 'yes');
    await until(async () => ofType(await agent.runs.events(run.id), 'input.resolved').length > 0);
    release.resolve(7);
    assert.equal((await settled(run.result)).text, 'yes 7');
    assert.deepEqual(ofType(await agent.runs.events(run.id), 'run.waiting'), []);
  });

  test('of a frame that ended meanwhile is open no longer', async () => {
    await using agent = agentWith({
      top: async (_input, scope) =>
        done(`${(await scope.call('child', null)).text} ${textOf(await scope.ask('two'))}`),
      child: async (_input, scope) => {
        void scope.ask('one');
        await scope.step('s', () => new Promise<number>((resolve) => setTimeout(resolve, 10, 1)));
        return done('left');
      },
    });
    const { runId, question } = await waitingRun(agent);
    assert.equal(question?.text, 'two');
    const [waiting] = ofType(await agent.runs.events(runId), 'run.waiting');
    assert.equal(waiting?.questions.length, 1);
    await agent.runs.answer(runId, 'B');
    assert.equal((await resumed(agent, runId)).text, 'left B');
  });

  test('resumes nothing without an answer, and nothing that has ended', async () => {
    await using agent = agentWith({ top: async (_input, scope) => done(textOf(await scope.ask('x'))) });
    const { runId } = await waitingRun(agent);
    const before = (await agent.runs.events(runId)).length;
    assert.equal((await resumed(agent, runId)).status, 'waiting');
    assert.equal((await agent.runs.events(runId)).length, before);
    await agent.runs.answer(runId, 'A');
    assert.equal((await resumed(agent, runId)).text, 'A');
    assert.equal((await resumed(agent, runId)).text, 'A');
    assert.equal(codeOf(await resumed(agent, 'r_nothing')), 'usage.not-found');
  });

  test('that was answered is resumed once by two who resume at the same time', async () => {
    let times = 0;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const answer = await scope.ask('x');
        await scope.step('s', () => ++times);
        return done(textOf(answer));
      },
    });
    const { runId } = await waitingRun(agent);
    await agent.runs.answer(runId, 'A');
    const both = await Promise.all([resumed(agent, runId), resumed(agent, runId)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['done', 'done'],
    );
    assert.equal(times, 1);
  });

  test('that is answered while the run is being closed is used at once', async () => {
    const closing = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    await using agent = agentWith({
      top: async (_input, scope) => {
        await scope.resources.open('slow', 'run', async () => ({
          close() {
            closing.resolve(undefined);
            return release.promise;
          },
        }));
        return done(textOf(await scope.ask('x')));
      },
    });
    const run = agent.run({ skill: 'top' });
    await settled(closing.promise);
    await agent.runs.answer(run.id, 'A');
    release.resolve(undefined);
    assert.equal((await settled(run.result)).text, 'A');
  });

  test('that is answered just before a slow store lays the run down is used at once', async () => {
    const pause = (milliseconds: number): Promise<void> =>
      new Promise((resolve) => setTimeout(resolve, milliseconds));
    const restAfter = async (moment: number): Promise<void> => {
      const store = createMemoryStore();
      const added = Promise.withResolvers<undefined>();
      const slow: Store = {
        ...store,
        entries: (space) => pause(40).then(() => store.entries(space)),
        add: async (...given) => {
          const isAdded = await store.add(...given);
          added.resolve(undefined);
          return isAdded;
        },
      };
      await using agent = agentWith(
        {
          top: async (_input, scope) => {
            const work = scope.step('s', () => added.promise.then(() => pause(moment)).then(() => 1));
            return done((await Promise.all([scope.ask('x'), work])).map(textOf).join());
          },
        },
        { store: slow },
      );
      const run = agent.run({ skill: 'top' });
      await until(async () => ofType(await agent.runs.events(run.id), 'input.requested').length > 0);
      await agent.runs.answer(run.id, 'A');
      assert.equal((await settled(run.result)).text, 'A,1', `at rest ${moment} ms after the answer`);
    };
    await Promise.all([0, 5, 10, 20, 30, 40, 50, 80].map(restAfter));
  });

  test('keeps no process alive', async () => {
    const { exitCode, output } = await runProgram(`
      await using agent = agentWith({ top: async (_input, scope) => done(textOf(await scope.ask('x'))) }, { limits: { callSeconds: 600 } });
      console.log((await agent.run({ skill: 'top' }).result).status);
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'waiting']);
  });

  test('costs no process when the store fails', async () => {
    const { exitCode, output } = await runProgram(`
      const store = createMemoryStore();
      let isBroken = false;
      const failing = {
        ...store,
        append: (...given) => {
          isBroken ||= given[2].some(({ type }) => type === 'run.waiting');
          return store.append(...given);
        },
        entries: (space) => (isBroken ? Promise.reject(new Error('no connection')) : store.entries(space)),
      };
      const agent = agentWith({ top: async (_input, scope) => done(textOf(await scope.ask('x'))) }, { store: failing, limits: { callSeconds: 5 } });
      console.log((await agent.run({ skill: 'top' }).result).status);
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'waiting']);
  });
});

test('a run that hangs beside its question is not waiting', async () => {
  await using agent = agentWith({
    top: async (_input, scope) =>
      done('', await Promise.all([scope.ask('x'), scope.step('s', () => hang(scope.signal))])),
  });
  const run = agent.run({ skill: 'top' });
  await until(async () => ofType(await agent.runs.events(run.id), 'input.requested').length > 0);
  assert.equal((await agent.runs.find(run.id)).status, 'running');
  await run.cancel();
});
