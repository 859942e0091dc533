import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  hang,
  ofType,
  runProgram,
  said,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import { AgentError, isAgentError } from '../../core/error.ts';
import { createMemoryStore } from '../../stores/memory.ts';

const asks: Run = async (_input, scope) => done(textOf(await scope.ask('x')));

/** Skills that nest three frames deep and then wait in a step. */
const deep: Readonly<Record<string, Run>> = {
  top: async (_input, scope) => scope.call('mid', null),
  mid: async (_input, scope) => scope.call('low', null),
  low: async (_input, scope) => done('', await scope.step('stuck', () => hang())),
};

describe('cancelling a run', () => {
  test('without words for it stores a reason all the same', async () => {
    await using agent = agentWith({ ...deep, asks });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'step.started').length === 1);
    await run.cancel(' ');
    assert.notEqual((await run.result).text.trim(), '');
    const { runId } = await agent.run({ skill: 'asks' }).result;
    await agent.runs.cancel(runId, '');
    assert.notEqual((await agent.runs.result(runId)).text.trim(), '');
  });

  test('in a nested child marks every open frame, the deepest first, and nothing follows its end', async () => {
    await using agent = agentWith(deep);
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'step.started').length === 1);
    await run.cancel('enough');
    const result = await run.result;
    assert.deepEqual(
      [result.status, codeOf(result), result.text],
      ['cancelled', 'usage.cancelled', 'enough'],
    );
    const events = await agent.runs.events(run.id);
    const started = ofType(events, 'frame.started').map(({ frameId }) => frameId);
    const ended = ofType(events, 'frame.ended');
    assert.deepEqual(
      ended.map(({ frameId }) => frameId),
      started.toReversed(),
    );
    assert.deepEqual(
      ended.map(({ output }) => said(output)),
      Array(3).fill('usage.cancelled'),
    );
    assert.equal(events.at(-1)?.type, 'run.ended');
    await run.cancel('again');
    assert.equal(await agent.runs.cancel(run.id), false);
    assert.equal((await agent.runs.events(run.id)).length, events.length);
  });

  test('tells every listener of every signal why', async () => {
    const reasons: unknown[] = [];
    const listen: Run = (_input, scope) => {
      for (let index = 0; index < 20; index++)
        scope.signal.addEventListener('abort', () => reasons.push(scope.signal.reason));
      return scope.call('low', null);
    };
    await using agent = agentWith({ ...deep, top: listen });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'step.started').length === 1);
    await run.cancel('enough');
    assert.equal(reasons.length, 20);
    assert.ok(reasons.every((reason) => isAgentError(reason) && reason.message === 'enough'));
  });

  test('ends at once although the skill ignores its signal', async () => {
    await using agent = agentWith({ top: () => hang() });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'frame.started').length === 1);
    await settled(Promise.all([run.cancel(), run.cancel()]));
    assert.equal((await run.result).status, 'cancelled');
  });

  test('by the signal of its request says its reason', async () => {
    await using agent = agentWith({ top: () => hang() });
    const controller = new AbortController();
    const run = agent.run({ skill: 'top', signal: controller.signal });
    await until(async () => ofType(await agent.runs.events(run.id), 'frame.started').length === 1);
    controller.abort(new AgentError('usage.cancelled', 'the user left'));
    assert.equal((await settled(run.result)).text, 'the user left');
  });

  test('by a signal without a reason is not given one such as "null"', async () => {
    for (const reason of [null, '', ' ', new Error('')]) {
      await using agent = agentWith({ top: () => hang(), asks });
      const controller = new AbortController();
      const run = agent.run({ prompt: '/top', signal: controller.signal, session: 's' });
      const queued = agent.executePrompt('/asks', { session: 's', signal: controller.signal });
      await until(async () => ofType(await agent.runs.events(run.id), 'frame.started').length === 1);
      controller.abort(reason);
      const { status, text, error } = await settled(run.result);
      assert.deepEqual([status, error?.code], ['cancelled', 'usage.cancelled']);
      const plain = agent.run({ skill: 'top' });
      await plain.cancel();
      assert.equal(text, (await plain.result).text);
      assert.equal((await settled(queued)).status, 'cancelled');
      const late = await settled(agent.run({ skill: 'top', signal: controller.signal }).result);
      assert.equal(codeOf(late), 'usage.cancelled');
    }
  });

  test('without words for it, as null, stores a reason all the same', async () => {
    await using agent = agentWith({ ...deep, asks });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'step.started').length === 1);
    await run.cancel(null as never);
    assert.equal((await run.result).status, 'cancelled');
  });

  test('with a signal that is aborted before begins nothing', async () => {
    let times = 0;
    await using agent = agentWith({ top: () => done(String(++times)) });
    const run = agent.run({ skill: 'top', signal: AbortSignal.abort() });
    const result = await settled(run.result);
    assert.deepEqual([result.status, result.runId, times], ['cancelled', run.id, 0]);
    assert.deepEqual(await agent.runs.list(), []);
  });

  test('at any moment of its first steps ends it as cancelled, or finds it done', async () => {
    for (let turns = 0; turns < 30; turns++) {
      await using agent = agentWith({
        top: async (_input, scope) => done('', await scope.step('s', () => 1)),
      });
      const run = agent.run({ skill: 'top' });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await settled(run.cancel(), `cancel after ${turns} turns`);
      const { status, runId } = await run.result;
      assert.ok(['cancelled', 'done'].includes(status), `${status} after ${turns} turns`);
      assert.equal(runId, run.id);
      const events = await agent.runs.events(run.id);
      assert.ok(events.length === 0 || events.at(-1)?.type === 'run.ended');
    }
  });

  test('by its id at any moment of its first steps ends it as cancelled, or finds it done', async () => {
    for (let turns = 0; turns < 30; turns++) {
      await using agent = agentWith({
        top: async (_input, scope) => done('', await scope.step('s', () => 1)),
      });
      await agent.runs.list();
      const run = agent.run({ skill: 'top' });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await settled(agent.runs.cancel(run.id));
      const { status, error } = await settled(run.result);
      assert.ok(['cancelled', 'done'].includes(status), `${status} ${error?.code} after ${turns} turns`);
    }
  });

  test('while it waits, by its handle', async () => {
    await using agent = agentWith({ top: asks });
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).status, 'waiting');
    await run.cancel();
    assert.equal((await agent.runs.find(run.id)).status, 'cancelled');
  });

  test('while a frame closes what it has opened marks that frame too', async () => {
    const closing = Promise.withResolvers<undefined>();
    const slow = {
      close() {
        closing.resolve(undefined);
        return new Promise<void>((resolve) => setTimeout(resolve, 50));
      },
    };
    await using agent = agentWith(
      {
        top: async (_input, scope) => scope.call('child', null),
        child: async (_input, scope) => done(typeof (await scope.processes.sandbox())),
      },
      { sandboxes: { contains: async () => true, open: () => Promise.resolve(slow as never) } },
    );
    const run = agent.run({ skill: 'top' });
    await settled(closing.promise);
    await settled(run.cancel());
    const events = await agent.runs.events(run.id);
    assert.equal(ofType(events, 'frame.ended').length, 2);
    assert.equal(events.at(-1)?.type, 'run.ended');
  });

  test('while it waits, by its id', async () => {
    await using agent = agentWith({ top: async (_input, scope) => scope.call('asks', null), asks });
    const run = agent.run({ skill: 'top' });
    const { question } = await run.result;
    assert.equal(await agent.runs.cancel(run.id, 'no answer'), true);
    assert.equal(await agent.runs.cancel(run.id), false);
    const result = await agent.runs.result(run.id);
    assert.deepEqual([result.status, result.text], ['cancelled', 'no answer']);
    assert.equal(ofType(await agent.runs.events(run.id), 'frame.ended').length, 2);
    await assert.rejects(agent.runs.answer(run.id, 'x', question?.id), { code: 'usage.not-found' });
    assert.equal((await agent.runs.resume(run.id).result).status, 'cancelled');
  });

  test('while it is suspended to wait', async () => {
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
    const cancelled = agent.runs.cancel(run.id);
    release.resolve(undefined);
    assert.equal(await settled(cancelled), true);
    assert.equal((await agent.runs.find(run.id)).status, 'cancelled');
  });

  test('that another process works on, through the handle of a follower', async () => {
    const store = createMemoryStore();
    await using first = agentWith(deep, { store });
    await using second = agentWith(deep, { store });
    const run = first.run({ skill: 'top' });
    await until(async () => ofType(await first.runs.events(run.id), 'step.started').length === 1);
    const followed = second.runs.resume(run.id);
    await until(async () => {
      for await (const event of followed.events) return event.type === 'run.started';
      return false;
    });
    await settled(followed.cancel());
    assert.equal((await first.runs.find(run.id)).status, 'cancelled');
    assert.equal((await settled(run.result)).status, 'cancelled');
  });

  test('that another agent works on stops that one', async () => {
    const store = createMemoryStore();
    await using first = agentWith(deep, { store });
    await using second = agentWith(deep, { store });
    const run = first.run({ skill: 'top' });
    await until(async () => ofType(await first.runs.events(run.id), 'step.started').length === 1);
    assert.equal(await second.runs.cancel(run.id, 'from afar'), true);
    const result = await settled(run.result);
    assert.deepEqual([result.status, result.text], ['cancelled', 'from afar']);
  });

  test('that does not exist leaves no trace', async () => {
    await using agent = agentWith({ top: asks });
    assert.equal(await agent.runs.cancel('r_nothing'), false);
    assert.deepEqual(await agent.runs.list(), []);
  });

  test('keeps no secret of its reason', async () => {
    await using agent = agentWith({ top: () => hang() }, { secrets: ['open-sesame-1234'] });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'frame.started').length === 1);
    await run.cancel('open-sesame-1234 is wrong');
    assert.ok(!JSON.stringify(await agent.runs.events(run.id)).includes('open-sesame'));
  });

  test('before its clock is set leaves no clock', async () => {
    const { exitCode, output } = await runProgram(`
      const store = createMemoryStore();
      const slow = { ...store, entries: async (space) => { await new Promise((r) => setTimeout(r, 50)); return store.entries(space); } };
      const agent = agentWith({ top: () => done() }, { store: slow, limits: { runSeconds: 600 } });
      const run = agent.run({ skill: 'top' });
      await until(async () => (await agent.runs.events(run.id)).length > 0);
      await run.cancel();
      console.log((await run.result).status);
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'cancelled']);
  });

  test('marks the frames that were not entered again too', async () => {
    let isFirst = true;
    await using agent = agentWith({
      top: async (_input, scope) => {
        if (isFirst) return scope.call('asks', null);
        return done('', await scope.step('stuck', () => hang()));
      },
      asks,
    });
    const { runId, question } = await agent.run({ skill: 'top' }).result;
    isFirst = false;
    await agent.runs.answer(runId, 'x', question?.id);
    const taken = agent.runs.resume(runId);
    await until(async () => ofType(await agent.runs.events(runId), 'step.started').length === 1);
    await settled(taken.cancel());
    const events = await agent.runs.events(runId);
    assert.equal(ofType(events, 'frame.ended').length, ofType(events, 'frame.started').length);
  });

  test('by its id just as it ends says that it was not open', async () => {
    const store = createMemoryStore();
    const ending = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const append: typeof store.append = async (...given) => {
      if (given[2].some(({ type }) => type === 'run.ended')) {
        ending.resolve(undefined);
        await release.promise;
      }
      return store.append(...given);
    };
    await using agent = agentWith({ top: () => done('ended') }, { store: { ...store, append } });
    const run = agent.run({ skill: 'top' });
    await settled(ending.promise);
    const cancelled = agent.runs.cancel(run.id);
    release.resolve(undefined);
    assert.equal(await settled(cancelled), false);
    assert.equal((await settled(run.result)).text, 'ended');
    assert.equal((await agent.runs.find(run.id)).status, 'done');
  });
});
