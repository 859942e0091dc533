import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { agentWith, done, ofType, settled } from '../../../test/support/kernel.ts';
import { call, leaf, stage, thinker, userTexts, type Stage } from '../../../test/support/loop-stage.ts';
import type { RunEvent, RunHandle } from '../../core/event.ts';
import type { Store } from '../../core/store.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { everyCrash, type Incarnation } from '../../testing/crash-harness.ts';

/**
 * Creates a stage whose loop waits in its first call until it is released. Steering messages appear in its
 * second request.
 */
function slowStage(more: Parameters<typeof stage>[2] = {}): Stage & { readonly unblock: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const slow = leaf(async () => {
    await promise;
    return done();
  });
  const staged = stage([{ calls: [call('slow')] }, 'Done.'], { slow }, more);
  const unblock = (): void => {
    resolve(undefined);
  };
  return { ...staged, unblock };
}

/** Resolves when the loop of a run is in its first call. */
async function inCall(run: RunHandle): Promise<void> {
  for await (const event of run.events) if (event.type === 'frame.started' && event.depth === 2) return;
}

async function spaceOf(store: Store, runId: string): Promise<readonly unknown[]> {
  return [...(await store.entries(`steering/${runId}`)).values()];
}

describe('a message to a run', () => {
  test('joins at the next model step, and is part of the conversation from there on', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await using on = stage([{ calls: [call('slow')] }, { calls: [call('slow', { input: '2' })] }, 'Done.'], {
      slow: leaf(async (input) => {
        if (input === '') await promise;
        return done();
      }),
    });
    const handle = on.agent.run({ skill: 'think', input: 'Go.' });
    await inCall(handle);
    await handle.steer('Be quick.');
    await on.agent.runs.steer(handle.id, 'And polite.');
    resolve(undefined);
    assert.equal((await handle.result).text, 'Done.');
    assert.deepEqual(userTexts(on.model.requests[0]), ['Go.']);
    assert.deepEqual(userTexts(on.model.requests[1]), ['Go.', 'Be quick.', 'And polite.']);
    assert.deepEqual(userTexts(on.model.requests[2]), ['Go.', 'Be quick.', 'And polite.']);
    const roles = on.model.requests[2]?.messages.map(({ role }) => role);
    assert.deepEqual(roles, ['user', 'assistant', 'tool', 'user', 'user', 'assistant', 'tool']);
  });

  test('can be sent as soon as the run has a handle', async () => {
    const memory = createMemoryStore();
    const store: Store = {
      ...memory,
      claim: async (...given) => {
        await wait(20);
        return memory.claim(...given);
      },
    };
    await using on = slowStage({ options: { store } });
    const handle = on.agent.run({ skill: 'think', input: 'Go.' });
    await settled(handle.steer('Be quick.'));
    on.unblock();
    await settled(handle.result);
    assert.deepEqual(userTexts(on.model.requests[1]), ['Go.', 'Be quick.']);
  });

  test('keeps its place among others, however fast they come', async () => {
    await using on = slowStage();
    const handle = on.agent.run({ skill: 'think', input: '0' });
    await inCall(handle);
    const texts = Array.from({ length: 30 }, (_, index) => `${index + 1}`);
    await Promise.all(texts.slice(0, 15).map((text) => handle.steer(text)));
    for (const text of texts.slice(15)) await handle.steer(text);
    on.unblock();
    await handle.result;
    assert.deepEqual(userTexts(on.model.requests[1]), ['0', ...texts]);
  });

  test('comes from any agent on the same store', async () => {
    const store = createMemoryStore();
    await using on = slowStage({ options: { store } });
    const handle = on.agent.run({ skill: 'think', input: 'Go.' });
    await inCall(handle);
    await agentWith({}, { store }).runs.steer(handle.id, 'From elsewhere.');
    on.unblock();
    await handle.result;
    assert.deepEqual(userTexts(on.model.requests[1]), ['Go.', 'From elsewhere.']);
    assert.deepEqual(await spaceOf(store, handle.id), []);
  });

  test('joins a run that waits when that continues', async () => {
    await using on = stage(
      [{ calls: [call('ask-user', { question: 'Which?' })] }, 'Done.'],
      {},
      { allowed: ['ask-user'] },
    );
    const { runId, status } = await on.agent.run({ skill: 'think', input: 'Go.' }).result;
    assert.equal(status, 'waiting');
    await on.agent.runs.steer(runId, 'By the way.');
    assert.equal(on.model.requests.length, 1);
    await on.agent.runs.answer(runId, 'this');
    await on.agent.runs.resume(runId).result;
    assert.deepEqual(userTexts(on.model.requests[1]), ['Go.', 'By the way.']);
  });

  test('is refused by a run that has ended, by none at all, and when it says nothing', async () => {
    await using on = slowStage();
    const handle = on.agent.run({ skill: 'think' });
    await inCall(handle);
    for (const nothing of ['', ' \n', undefined as unknown as string]) {
      await assert.rejects(handle.steer(nothing), { code: 'usage.bad-input' });
    }
    on.unblock();
    await handle.result;
    await assert.rejects(handle.steer('Too late.'), { code: 'usage.bad-input' });
    await assert.rejects(on.agent.runs.steer('r_none', 'Hello?'), { code: 'usage.not-found' });
    const cancelled = on.agent.run({ skill: 'think' });
    await cancelled.cancel();
    await assert.rejects(cancelled.steer('Too late.'));
  });

  test('is not for loops below another one', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const asked: Record<string, readonly string[][]> = {};
    const model = createScriptedModel((request) => {
      const users = userTexts(request);
      const who = users[0] ?? '';
      asked[who] = [...(asked[who] ?? []), [...users]];
      const isFirst = request.messages.every(({ role }) => role === 'user');
      if (!isFirst) return 'Done.';
      return { calls: [{ ...call(who === 'outer' ? 'inner' : 'slow', { input: 'inner' }), id: who }] };
    });
    await using agent = agentWith(
      {
        slow: leaf(async () => {
          await promise;
          return done();
        }),
        inner: thinker(['slow']),
        think: thinker(['inner']),
      },
      { models: { execution: model } },
    );
    const handle = agent.run({ skill: 'think', input: 'outer' });
    for await (const event of handle.events) {
      if (event.type !== 'frame.started' || event.depth !== 3) continue;
      await handle.steer('Hurry.');
      resolve(undefined);
    }
    assert.equal((await handle.result).text, 'Done.');
    assert.deepEqual(asked['inner'], [['inner'], ['inner']]);
    assert.deepEqual(asked['outer'], [['outer'], ['outer', 'Hurry.']]);
  });

  test('goes to one of several outermost loops', async () => {
    const model = createScriptedModel((request) =>
      request.messages.some(({ role }) => role === 'assistant')
        ? 'Done.'
        : {
            calls: [
              { ...call('slow', { input: userTexts(request)[0] ?? '' }), id: userTexts(request)[0] ?? '' },
            ],
          },
    );
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const memory = createMemoryStore();
    const store: Store = {
      ...memory,
      entries: async (space) => {
        const found = await memory.entries(space);
        await wait(20); // so that all of them have looked before the first one takes it
        return found;
      },
    };
    await using agent = agentWith(
      {
        slow: leaf(async () => {
          await promise;
          return done();
        }),
        one: thinker(['slow']),
        both: {
          run: async (_input, scope) => {
            await Promise.all(['1', '2', '3'].map((input) => scope.call('one', input)));
            return done();
          },
        },
      },
      { models: { execution: model }, store },
    );
    const handle = agent.run({ skill: 'both' });
    let open = 0;
    for await (const event of handle.events) {
      if (event.type !== 'frame.started' || event.depth !== 3 || (open += 1) < 3) continue;
      await handle.steer('Hurry.');
      resolve(undefined);
    }
    await handle.result;
    const got = model.requests.flatMap((request) => userTexts(request)).filter((text) => text === 'Hurry.');
    assert.equal(got.length, 1);
  });

  test('goes to no other run', async () => {
    await using one = slowStage();
    const [first, second] = [one.agent.run({ skill: 'think', input: 'first' }), slowStage()];
    const other = second.agent.run({ skill: 'think', input: 'second' });
    await Promise.all([inCall(first), inCall(other)]);
    await Promise.all([first.steer('for the first'), other.steer('for the second')]);
    one.unblock();
    second.unblock();
    await Promise.all([first.result, other.result]);
    assert.deepEqual(userTexts(one.model.requests[1]), ['first', 'for the first']);
    assert.deepEqual(userTexts(second.model.requests[1]), ['second', 'for the second']);
  });

  test('shows no secret, neither in the store nor to the model', async () => {
    const store = createMemoryStore();
    const secret = 'open-sesame-1234';
    await using on = slowStage({ options: { store, secrets: [secret] } });
    const handle = on.agent.run({ skill: 'think', input: 'Go.' });
    await inCall(handle);
    await handle.steer(`The word is ${secret}.`);
    assert.deepEqual(await spaceOf(store, handle.id), ['The word is [redacted].']);
    on.unblock();
    await handle.result;
    assert.deepEqual(userTexts(on.model.requests[1]), ['Go.', 'The word is [redacted].']);
    assert.doesNotMatch(JSON.stringify(await on.agent.runs.events(handle.id)), /sesame/);
  });

  test('is forgotten with its run, and not taken by a rerun', async () => {
    const store = createMemoryStore();
    await using on = stage(
      (_request, turn) =>
        turn % 2 === 1 ? { calls: [call('ask-user', { question: `${turn}?` })] } : 'Done.',
      {},
      { allowed: ['ask-user'], options: { store } },
    );
    const { runId } = await on.agent.run({ skill: 'think', input: 'Go.' }).result;
    await on.agent.runs.steer(runId, 'Hurry.');
    const again = await on.agent.runs.rerun(runId).result;
    assert.equal(again.status, 'done');
    assert.ok(on.model.requests.every((request) => !userTexts(request).includes('Hurry.')));
    assert.deepEqual(await spaceOf(store, runId), ['Hurry.']);
    await on.agent.runs.remove(runId);
    assert.deepEqual(await spaceOf(store, runId), []);
  });

  test('that the store cannot return does not make the run fail', async () => {
    const memory = createMemoryStore();
    let isBroken = true;
    const store: Store = {
      ...memory,
      entries: (space) =>
        isBroken && space.startsWith('steering/')
          ? Promise.reject(new Error('The disk is away.'))
          : memory.entries(space),
    };
    await using on = stage(['Done.'], {}, { options: { store } });
    const first = await settled(on.agent.run({ skill: 'think' }).result);
    assert.deepEqual([first.status, on.model.requests.length], ['interrupted', 0]);
    isBroken = false;
    assert.equal((await settled(on.agent.runs.resume(first.runId, { takeOver: true }).result)).text, 'Done.');
    assert.equal(ofType(await on.agent.runs.events(first.runId), 'model.started').length, 1);
  });
});

describe('messages to a run that is killed at any write', () => {
  test('are taken exactly once, and in their order', async () => {
    let memory = createMemoryStore();
    let sent = 0;
    let conversation: readonly string[] | undefined;
    const live = async (
      incarnation: Incarnation,
    ): Promise<{ readonly runId: string; readonly text: string }> => {
      conversation = undefined;
      const model = createScriptedModel((request) => {
        const steps = request.messages.filter(({ role }) => role === 'assistant').length;
        return steps === 3
          ? 'Done.'
          : { calls: [{ ...call('work', { input: `${steps}` }), id: `c${steps}` }] };
      });
      const send = async (runId: string): Promise<void> => {
        const text = `message ${(sent += 1)}`;
        await agentWith({}, { store: memory }).runs.steer(runId, text);
      };
      const work = leaf(async (input, scope) => {
        if (sent < 2 || (input === '2' && sent < 3)) await incarnation.effect(() => send(scope.run.id));
        if (sent < 2) await incarnation.effect(() => send(scope.run.id));
        return done(`worked ${input}`);
      });
      const think = thinker(['work'], {}, ({ messages }) => {
        conversation = messages.map(({ role, text }) => `${role} ${text}`);
      });
      const agent = agentWith({ work, think }, { models: { execution: model }, store: incarnation.store });
      const known = (await incarnation.store.runs()).find(({ seq }) => seq > 0);
      const handle =
        known === undefined
          ? agent.run({ skill: 'think', input: 'Go.' })
          : agent.runs.resume(known.id, { takeOver: true });
      const { text, runId } = await handle.result;
      await agent.shutdown();
      return { text, runId };
    };
    const crashes = await everyCrash(
      {
        open: () => {
          sent = 0;
          return (memory = createMemoryStore());
        },
        live,
      },
      async ({ outcome: { text, runId }, deaths }) => {
        const where = JSON.stringify(deaths);
        assert.deepEqual([text, sent], ['Done.', 3], where);
        assert.deepEqual(await spaceOf(memory, runId), [], where);
        const events: RunEvent[] = [];
        for await (const event of memory.read(runId)) events.push(event);
        const taken = new Map(ofType(events, 'model.started').map(({ key, joined }) => [key, joined ?? []]));
        const joined = [...taken.values()].flat().map((message) => message.text);
        assert.deepEqual(joined, ['message 1', 'message 2', 'message 3'], where);
        const said = conversation?.filter((line) => line.startsWith('user'));
        if (said !== undefined) {
          assert.deepEqual(said, ['user Go.', ...joined.map((line) => `user ${line}`)], where);
        }
      },
    );
    assert.ok(crashes >= 30, `${crashes}`);
  });
});
