import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  ofType,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { isAgentError } from '../../core/error.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/** Returns the outcome of each: `ok`, or the code of its error. */
async function outcomes(work: readonly Promise<unknown>[]): Promise<readonly string[]> {
  const ends = await settled(Promise.allSettled(work), 'the answers');
  return ends.map((end) =>
    end.status === 'fulfilled' ? 'ok' : isAgentError(end.reason) ? end.reason.code : String(end.reason),
  );
}

/** Creates a skill that asks, and then performs an effect with the answer. */
function asking(effects: string[]): Run {
  return async (_input, scope) => {
    const answer = textOf(await scope.ask('Which?'));
    await scope.step('use', () => effects.push(answer));
    return done(answer);
  };
}

test('a denial without words for it stores a reason all the same', async () => {
  const top: Run = async (_input, scope) => scope.call('child', null);
  await using agent = agentWith({ top, child: () => done() }, { policy: askAbout('child') });
  const { runId, question } = await agent.run({ skill: 'top' }).result;
  await agent.runs.approve(runId, question?.id ?? '', { deny: ' ' });
  await agent.runs.resume(runId).result;
  const [decided] = ofType(await agent.runs.events(runId), 'approval.resolved');
  assert.ok(decided !== undefined && 'deny' in decided.answer && decided.answer.deny.trim() !== '');
});

test('an answer that was used counts, even if another one is stored before its sender knows', async () => {
  const inner = createMemoryStore();
  const other = agentWith({ top: asking([]) }, { store: inner });
  const store: Store = {
    ...inner,
    async add(space, key, ...rest) {
      const isFirst = await inner.add(space, key, ...rest);
      if (space.startsWith('answers/')) {
        await other.runs.resume(space.slice('answers/'.length)).result; // uses the answer
        await inner.add(space, key, 'late');
      }
      return isFirst;
    },
  };
  const sender = agentWith({ top: asking([]) }, { store });
  const { runId } = await settled(sender.run({ skill: 'top' }).result);
  assert.deepEqual(await outcomes([sender.runs.answer(runId, 'mine')]), ['ok']);
  assert.equal((await other.runs.result(runId)).text, 'mine');
  await Promise.all([sender.shutdown(), other.shutdown()]);
});

test('of twenty simultaneous answers from several processes, one counts, the others are refused, and the run continues once', async () => {
  using folder = tree();
  const effects: string[] = [];
  const agents = Array.from({ length: 4 }, () =>
    agentWith({ top: asking(effects) }, { store: folder.at('runs.db') }),
  );
  const [first] = agents;
  assert.ok(first);
  const { runId } = await settled(first.run({ skill: 'top' }).result);
  const who = Array.from({ length: 20 }, (_, index) => ({ index, agent: agents[index % 4] ?? first }));
  const results: Promise<string>[] = [];
  const ends = await outcomes(
    who.map(async ({ index, agent }) => {
      await agent.runs.answer(runId, `answer ${index}`);
      results.push(agent.runs.resume(runId).result.then(({ text }) => text));
    }),
  );
  const winner = ends.indexOf('ok');
  assert.deepEqual(
    ends,
    who.map(({ index }) => (index === winner ? 'ok' : 'usage.bad-input')),
  );
  assert.deepEqual(await Promise.all(results), [`answer ${winner}`]);
  const resumed = await Promise.all(
    agents.map(async (agent) => (await agent.runs.resume(runId).result).text),
  );
  assert.deepEqual(
    resumed,
    agents.map(() => `answer ${winner}`),
  );
  assert.deepEqual(effects, [`answer ${winner}`]);
  assert.equal(ofType(await first.runs.events(runId), 'input.resolved').length, 1);
  await Promise.all(agents.map((agent) => agent.shutdown()));
});

/** Creates a store that delays answers until they are released. */
function slowToAnswer(store: Store): Store & { readonly reached: Promise<undefined>; unblock(): void } {
  const reached = Promise.withResolvers<undefined>();
  const latch = Promise.withResolvers<undefined>();
  return {
    ...store,
    reached: reached.promise,
    unblock: () => {
      latch.resolve(undefined);
    },
    async add(space, ...given) {
      if (space.startsWith('answers/')) {
        reached.resolve(undefined);
        await latch.promise;
      }
      return store.add(space, ...given);
    },
  };
}

test('an answer that is left after another one was used is refused, and nothing of it stays', async () => {
  const store = createMemoryStore();
  const slow = slowToAnswer(store);
  const effects: string[] = [];
  await using first = agentWith({ top: asking(effects) }, { store });
  await using second = agentWith({ top: asking(effects) }, { store: slow });
  const { runId } = await settled(first.run({ skill: 'top' }).result);
  const late = second.runs.answer(runId, 'late');
  await slow.reached;
  await first.runs.answer(runId, 'in time');
  assert.equal((await settled(first.runs.resume(runId).result)).text, 'in time');
  slow.unblock();
  assert.deepEqual(await outcomes([late]), ['usage.bad-input']);
  assert.deepEqual(effects, ['in time']);
  assert.equal((await store.entries(`answers/${runId}`)).size, 0);
});

test('leave that is given after a decision was made is refused and allows nothing', async () => {
  const store = createMemoryStore();
  const slow = slowToAnswer(store);
  const skills = {
    top: (async (_input, scope) => {
      const [one, two] = [await scope.call('guarded', 1), await scope.call('guarded', 2)];
      return done(`${one.status} ${two.status}`);
    }) satisfies Run,
    guarded: () => done(),
  };
  const policy = askAbout('guarded');
  await using first = agentWith(skills, { store, policy });
  await using second = agentWith(skills, { store: slow, policy });
  const { runId, question } = await settled(first.run({ skill: 'top' }).result);
  assert.ok(question);
  const late = second.runs.approve(runId, question.id, { allow: 'run' });
  await slow.reached;
  await first.runs.approve(runId, question.id, { deny: 'No.' });
  const { status } = await settled(first.runs.resume(runId).result);
  assert.equal(status, 'waiting');
  slow.unblock();
  assert.deepEqual(await outcomes([late]), ['usage.bad-input']);
  assert.equal((await settled(first.runs.resume(runId).result)).status, 'waiting', 'it is still asked about');
});

test('an answer that is used before its sender checks it is not refused', async () => {
  const store = createMemoryStore();
  const held = Promise.withResolvers<undefined>();
  const top: Run = async (_input, scope) => {
    const waited = scope.step('beside', () => held.promise.then(() => null));
    const answer = textOf(await scope.ask('Which?'));
    await waited;
    return done(answer);
  };
  const added = Promise.withResolvers<undefined>();
  const second: Store = {
    ...store,
    async add(...given) {
      const isAdded = await store.add(...given);
      if (given[0].startsWith('answers/')) await added.promise;
      return isAdded;
    },
  };
  await using first = agentWith({ top }, { store });
  await using other = agentWith({ top }, { store: second });
  const run = first.run({ skill: 'top' });
  const isThere = (type: string) => async (): Promise<boolean> =>
    (await first.runs.events(run.id)).some((event) => event.type === type);
  await until(isThere('input.requested'));
  const answered = other.runs.answer(run.id, 'this');
  await until(isThere('input.resolved'));
  added.resolve(undefined);
  assert.deepEqual(await outcomes([answered]), ['ok']);
  held.resolve(undefined);
  const result = await settled(run.result);
  assert.equal(result.text, 'this', codeOf(result));
});
