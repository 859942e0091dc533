import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, settled, textOf, type TestSkill } from '../../../test/support/kernel.ts';
import type { Json } from '../../core/json.ts';
import type { PromptOptions } from '../prompt-options.ts';
import type { BareAgent } from '../recursive-skilled-agent.ts';

const asks: TestSkill = {
  run: async (_input, scope) => done(`to the ${textOf(await scope.ask('Which way?'))}`),
};
const counts: TestSkill = {
  run: async (_input, scope) =>
    done(JSON.stringify(await scope.ask({ text: 'How many?', schema: { type: 'integer' } }))),
};
const says: TestSkill = {
  run: (_input, scope) => {
    scope.note('a line');
    return done('said');
  },
};

/** Starts a turn of the session. A program answers its questions. */
function readBy(inputReader: () => Promise<Json | undefined>, more: PromptOptions = {}): PromptOptions {
  return { ...more, context: { sessionId: 's', io: { inputReader } } };
}

describe('a program that answers questions', () => {
  test('gives text as a person would, also where a number is asked for', async () => {
    await using agent = agentWith({ counts });
    assert.equal(
      (
        await settled(
          agent.executePrompt(
            '/counts',
            readBy(async () => '7'),
          ),
        )
      ).text,
      '7',
    );
    assert.equal(
      (
        await settled(
          agent.executePrompt(
            '/counts',
            readBy(async () => 8),
          ),
        )
      ).text,
      '8',
    );
  });

  test('gets a failure as data when its answer does not fit, or when it fails itself', async () => {
    await using agent = agentWith({ counts });
    const wrong = await settled(
      agent.executePrompt(
        '/counts',
        readBy(async () => 'many'),
      ),
    );
    assert.deepEqual([wrong.status, codeOf(wrong)], ['waiting', 'usage.bad-input']);
    const broken = readBy(() => Promise.reject(new Error('nobody there')));
    const failed = await settled(agent.executePrompt('/counts', broken));
    assert.deepEqual([failed.status, failed.error?.message], ['waiting', 'nobody there']);
  });

  test('does not lose its place to the next prompt, which waits in the queue', async () => {
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<string>();
    const read = (): Promise<string> => {
      asked.resolve(undefined);
      return answer.promise;
    };
    await using agent = agentWith({ asks });
    const first = agent.executePrompt('/asks', readBy(read));
    const second = agent.executePrompt('right', { context: { sessionId: 's' } });
    await settled(asked.promise);
    answer.resolve('left');
    assert.equal((await settled(first)).text, 'to the left');
    assert.equal(codeOf(await settled(second)), 'skill.not-found');
  });

  test('ends the run by calling it off while it is asked', async () => {
    const controller = new AbortController();
    const read = (): Promise<string> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    await using agent = agentWith({ asks });
    const { signal } = controller;
    const { status, runId } = await settled(agent.executePrompt('/asks', readBy(read, { signal })));
    assert.equal(status, 'cancelled');
    assert.equal((await agent.runs.result(runId)).status, 'cancelled');
  });

  test('and hears lines does no harm when it fails to', async () => {
    await using agent = agentWith({ says });
    const outputWriter = (): never => {
      throw new Error('closed');
    };
    const { text } = await settled(agent.executePrompt('/says', { context: { io: { outputWriter } } }));
    assert.equal(text, 'said');
  });
});

const context = { sessionId: 's' };
const echo: TestSkill = { run: (input) => done(JSON.stringify(input)) };
test('a skill named cancel is called with an at sign, past the question that waits', async () => {
  await using agent = agentWith({ asks, cancel: echo });
  await agent.executePrompt('/asks', { context });
  assert.equal((await agent.executePrompt('@cancel it', { context })).text, '"it"');
  assert.equal((await agent.executePrompt('left', { context })).text, 'to the left');
});

test('what a prompt answers goes into the map that this prompt brings', async () => {
  const keeps: TestSkill = {
    run: async (_input, scope) => {
      scope.memory.set('way', textOf(await scope.ask('Which way?')));
      return done();
    },
  };
  await using agent = agentWith({ keeps });
  const [first, second] = [new Map<string, Json>(), new Map<string, Json>()];
  await agent.executePrompt('/keeps', { context: { ...context, sessionMemory: first } });
  await agent.executePrompt('left', { context: { ...context, sessionMemory: second } });
  assert.deepEqual([[...first], [...second]], [[], [['keeps/way', 'left']]]);
});

test('a session of a user whose id is not text is not made, so that no one else gets it', async () => {
  await using agent = agentWith({ echo });
  const numbered = { context: { ...context, user: { id: 5 as never } } };
  assert.equal(codeOf(await agent.executePrompt('/echo', numbered)), 'usage.bad-input');
  const bad = { prompt: '/echo', session: 's', user: 5 as never };
  assert.equal(codeOf(await agent.run(bad).result), 'usage.bad-input');
  assert.equal(await agent.hasSession('s'), false);
  for (const request of [{ prompt: 5 }, { prompt: null }, { prompt: '/echo', session: 5 }, { skill: 5 }])
    assert.equal(codeOf(await agent.run(request as never).result), 'usage.bad-input');
  const nobody = { context: { user: null as never } };
  assert.equal((await agent.executePrompt('/echo', nobody)).ok, true);
});

describe('a session that is deleted', () => {
  test('while turns wait in the queue leaves none of their questions', async () => {
    await using agent = agentWith({ asks });
    const turns = ['/asks', '/asks'].map((prompt) => agent.executePrompt(prompt, { context }));
    const isGone = agent.deleteSession('s');
    await settled(Promise.all(turns));
    assert.equal(await settled(isGone), true);
    assert.deepEqual(await agent.runs.list({ session: 's', status: ['waiting'] }), []);
    assert.equal(codeOf(await agent.executePrompt('left', { context })), 'skill.not-found');
  });
});

describe('a skill that speaks with its own session', () => {
  const inside = (work: (agent: BareAgent) => Promise<string>): BareAgent => {
    const agent = agentWith({ top: { run: async () => done(await work(agent)) }, echo });
    return agent;
  };

  test('is told that its prompt would wait for itself', async () => {
    await using agent = inside(async (own) => codeOf(await own.executePrompt('/echo', { context })));
    assert.equal((await settled(agent.executePrompt('/top', { context }))).text, 'usage.bad-input');
    const other = { context: { sessionId: 't' } };
    assert.equal((await settled(agent.executePrompt('/top', other))).text, '');
  });

  test('can empty it', async () => {
    await using agent = inside(async (own) => {
      await own.clearSessionMemory('s');
      return JSON.stringify([...(await own.getSessionMemory('s').entries())]);
    });
    await agent.getSessionMemory('s').set('k', 1);
    assert.equal((await settled(agent.executePrompt('/top', { context }))).text, '[]');
  });
});

test('values that the program keeps in a session have no secrets', async () => {
  await using agent = agentWith({}, { secrets: ['open sesame'] });
  await agent.getSessionMemory('s').set('k', ['say open sesame']);
  assert.deepEqual(await agent.getSessionMemory('s').get('k'), ['say [redacted]']);
});
