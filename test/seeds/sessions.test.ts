import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PromptContext } from '../../src/agent/prompt-options.ts';
import type { Json } from '../../src/core/json.ts';
import { hasEnded } from '../../src/core/run.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { agentWith, codeOf, done, hang, settled, textOf, until, type Run } from '../support/kernel.ts';
import { leaf, userTexts } from '../support/loop-stage.ts';
import { orchestratorStage } from '../support/orchestrator-stage.ts';

/** Answers with the previous input of its session, and stores the current one. */
const echo: Run = async (input, { memory }) => {
  const before = await memory.get('last');
  memory.set('last', input);
  return done(textOf(before ?? 'nothing'));
};
const skills = {
  echo: leaf<Json>(echo),
  where: leaf((_input, { run: { session } }) => done(session)),
  ask: leaf(async (_input, scope) => {
    scope.note('One moment.');
    return done(textOf(await scope.ask('Which day?')));
  }),
};

describe('the session of a prompt', () => {
  for (const [what, context, session] of [
    ['its own id', { sessionId: 'own', user: { sessionId: 'users', sessionToken: 'secret' } }, 'own'],
    ["the user's id", { user: { sessionId: 'users', sessionToken: 'secret' } }, 'users'],
    ['the default one', { user: {} }, 'default'],
  ] as const) {
    test(`is ${what}, where nothing before it is set`, async () => {
      await using agent = agentWith(skills);
      assert.equal((await agent.executePrompt('x', { skillName: 'where', context })).text, session);
    });
  }

  test('is one of their own for users of whom nothing but the name is known', async () => {
    await using agent = agentWith(skills);
    const of = async (id: string): Promise<string> =>
      (await agent.executePrompt('x', { skillName: 'where', context: { user: { id } } })).text;
    const [ann, bob, again] = [await of('ann'), await of('bob'), await of('ann')];
    assert.match(ann, /^user-/);
    assert.notEqual(ann, bob);
    assert.equal(ann, again);
  });

  test("is derived from the user's token, which always leads to the same session and is stored nowhere", async () => {
    await using agent = agentWith(skills);
    const say = async (sessionToken: string): Promise<string> =>
      (await agent.executePrompt('x', { skillName: 'where', context: { user: { sessionToken } } })).text;
    const first = await say('secret-one');
    assert.equal(await say('secret-one'), first);
    assert.notEqual(await say('secret-two'), first);
    assert.ok(!first.includes('secret-one'));
    assert.ok(!JSON.stringify(await agent.getSessionStats()).includes('secret-one'));
  });

  test('has the memory that the caller gives, if there is one, and leaves its own alone', async () => {
    await using agent = agentWith(skills);
    const sessionMemory = new Map<string, Json>();
    const given: PromptContext = { sessionId: 'ann', sessionMemory };
    await agent.executePrompt('One.', { skillName: 'echo', context: given });
    const again = await agent.executePrompt('Two.', { skillName: 'echo', context: given });
    assert.equal(again.text, 'One.');
    assert.deepEqual([...sessionMemory.values()], ['Two.']);
    const own = await agent.executePrompt('x', { skillName: 'echo', context: { sessionId: 'ann' } });
    assert.equal(own.text, 'nothing');
  });

  test('has the memory that the caller gives also after a question was answered', async () => {
    const book = leaf<Json>(async (_input, scope) => {
      const day = textOf(await scope.ask('Which day?'));
      scope.memory.set('day', day);
      return done(day);
    });
    await using agent = agentWith({ book });
    const context = { sessionId: 'ann', sessionMemory: new Map<string, Json>() };
    await agent.executePrompt('x', { skillName: 'book', context });
    await agent.executePrompt('Monday', { context });
    assert.deepEqual([...context.sessionMemory.values()], ['Monday']);
    assert.deepEqual((await agent.getSessionMemory('ann').entries()).size, 0);
  });
});

describe('the ways to speak with a user', () => {
  test('are those of the agent: output of skills reaches them, and they answer questions', async () => {
    const received: string[] = [];
    const io = {
      outputWriter: (line: string) => void received.push(line),
      inputReader: async () => 'Monday',
    };
    await using agent = agentWith(skills, { io });
    const { status, text } = await agent.executePrompt('x', { skillName: 'ask' });
    assert.deepEqual([status, text, received], ['done', 'Monday', ['One moment.']]);
  });

  test('are those of the prompt, where it has its own', async () => {
    await using agent = agentWith(skills, { io: { inputReader: async () => 'Monday' } });
    const context = { io: { inputReader: async () => 'Friday' } };
    assert.equal((await agent.executePrompt('x', { skillName: 'ask', context })).text, 'Friday');
  });
});

describe('sessions', () => {
  const say = async (
    agent: ReturnType<typeof agentWith>,
    prompt: string,
    sessionId?: string,
  ): Promise<string> => {
    const context = sessionId === undefined ? {} : { sessionId };
    return (await agent.executePrompt(prompt, { skillName: 'echo', context })).text;
  };

  test('are separate for each name, with one default session for callers without a name', async () => {
    await using agent = agentWith(skills);
    assert.equal(await say(agent, 'mine'), 'nothing');
    assert.equal(await say(agent, 'x'), 'mine');
    const users = ['ann', 'ben', 'cem', '__proto__'];
    assert.deepEqual(
      new Set(await Promise.all(users.map((id) => say(agent, `of ${id}`, id)))),
      new Set(['nothing']),
    );
    assert.deepEqual(
      await Promise.all(users.map((id) => say(agent, 'x', id))),
      users.map((id) => `of ${id}`),
    );
    assert.deepEqual(new Set(await agent.getActiveSessions()), new Set(users));
    const { totalSessions, userSessions } = await agent.getSessionStats();
    assert.deepEqual([totalSessions, userSessions], [5, 4]);
  });

  test('can be emptied and deleted by hand; the default one is only emptied', async () => {
    await using agent = agentWith(skills);
    for (const id of ['ann', 'ben', undefined]) await say(agent, 'kept', id);
    await agent.clearSessionMemory('ann');
    assert.deepEqual([await agent.hasSession('ann'), await say(agent, 'x', 'ann')], [true, 'nothing']);
    assert.equal(await agent.deleteSession('ben'), true);
    assert.deepEqual([await agent.hasSession('ben'), await say(agent, 'x', 'ben')], [false, 'nothing']);
    assert.equal(await agent.deleteSession('default'), false);
    assert.deepEqual([await agent.hasSession('default'), await say(agent, 'x')], [true, 'nothing']);
    assert.equal(await agent.getSessionMemory('ann').get('echo/last'), 'x');
  });

  test('that no one uses for long enough are forgotten, by hand and by themselves; the default one stays', async () => {
    for (const cleanupInterval of [0, 2]) {
      await using agent = agentWith(skills, { sessionConfig: { sessionTTL: 1, cleanupInterval } });
      for (const id of ['ann', undefined]) await say(agent, 'kept', id);
      await until(async () => {
        if (cleanupInterval === 0) await agent.cleanupSessions();
        return !(await agent.hasSession('ann'));
      });
      assert.deepEqual([await say(agent, 'x', 'ann'), await say(agent, 'x')], ['nothing', 'kept']);
    }
  });

  test('past the most that are kept push out the one that was used least recently', async () => {
    await using agent = agentWith(skills, { sessionConfig: { maxSessions: 2 } });
    for (const id of ['ann', 'ben', 'ann', 'cem']) await say(agent, `of ${id}`, id);
    assert.deepEqual(await agent.getActiveSessions(), ['ann', 'cem']);
    assert.deepEqual([await say(agent, 'x', 'ann'), await say(agent, 'x', 'ben')], ['of ann', 'nothing']);
  });
});

describe('shutting down', () => {
  test('lets running work end, and accepts no more', async () => {
    const release = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const slow: Run = async () => {
      begun.resolve(undefined);
      await release.promise;
      return done('In time.');
    };
    const agent = agentWith({ ...skills, slow: leaf(slow as never) });
    const work = agent.executePrompt('x', { skillName: 'slow' });
    await settled(begun.promise);
    const down = agent.shutdown();
    release.resolve(undefined);
    await settled(down);
    assert.equal((await work).text, 'In time.');
    const { ok } = await agent.executePrompt('x', { skillName: 'echo' });
    assert.equal(ok, false);
  });

  test('leaves work that does not end in time to be resumed', async () => {
    const store = createMemoryStore();
    const begun = Promise.withResolvers<undefined>();
    const stuck: Run = (_input, { signal }) => (begun.resolve(undefined), hang(signal));
    const first = agentWith({ work: stuck }, { store });
    const left = first.executePrompt('x', { skillName: 'work' });
    await settled(begun.promise);
    await settled(first.shutdown({ drainMs: 0 }));
    const { runId, status } = await left;
    assert.equal(hasEnded(status), false);
    await using second = agentWith({ work: () => done('Done after all.') }, { store });
    assert.equal((await second.runs.find(runId)).status, 'interrupted');
    assert.equal((await settled(second.runs.resume(runId).result)).text, 'Done after all.');
  });
});

describe('the summary of a conversation', () => {
  const desk = { Session: 'loop', 'Allowed Skills': '' };
  const turn = { skillName: 'desk', context: { sessionId: 'ann' } };

  test('is brought up to date after each turn, and precedes the next request of that session alone', async () => {
    const plan = createScriptedModel(['A lamp.', 'A bell.', 'Hello.']);
    const summary = createScriptedModel(['Ann asked for a lamp.', 'Ann has a lamp and a bell.', 'Ben came.']);
    await using on = orchestratorStage({ desk }, [], { enableSummary: true, models: { plan, summary } });
    await on.agent.executePrompt('Find a lamp.', turn);
    await on.agent.executePrompt('And the second one?', turn);
    await on.agent.executePrompt('Hi.', { ...turn, context: { sessionId: 'ben' } });
    const [first, second, bens] = plan.requests.map((request) => userTexts(request).join('\n'));
    assert.ok(!first?.includes('lamp for') && !first?.includes('Summary'));
    assert.ok((second?.indexOf('Ann asked for a lamp.') ?? -1) >= 0);
    assert.ok((second?.indexOf('Ann asked') ?? 0) < (second?.indexOf('And the second one?') ?? 0));
    assert.ok(!bens?.includes('lamp'));
    assert.match(
      userTexts(summary.requests[1]).join('\n'),
      /Ann asked for a lamp\.[^]*And the second one\?[^]*A bell\./,
    );
  });

  test('is not made unless it is switched on', async () => {
    const summary = createScriptedModel([]);
    await using on = orchestratorStage({ desk }, [], {
      models: { plan: createScriptedModel(['ok']), summary },
    });
    assert.equal(codeOf(await on.agent.executePrompt('x', turn)), '');
    assert.equal(summary.requests.length, 0);
  });

  test('consists of completed turns: one that waits for the user is added when it is answered', async () => {
    const summary = createScriptedModel(['Monday it is.']);
    const asking = { Session: 'loop', 'Allowed Skills': '- ask' };
    const plan = createScriptedModel([{ calls: [{ name: 'ask', input: { input: '' } }] }, 'Booked.']);
    await using on = orchestratorStage({ desk: asking }, [], {
      skills,
      enableSummary: true,
      models: { plan, summary },
    });
    assert.equal((await on.agent.executePrompt('Book it.', turn)).status, 'waiting');
    assert.equal(summary.requests.length, 0);
    const answer = await on.agent.executePrompt('Monday', { context: { sessionId: 'ann' } });
    assert.equal(answer.text, 'Booked.');
    assert.match(userTexts(summary.requests[0]).join('\n'), /Book it\.[^]*Booked\./);
  });
});
