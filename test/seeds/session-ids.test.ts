import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done } from '../support/kernel.ts';
import { leaf } from '../support/loop-stage.ts';

const where = leaf((_input, { run: { session } }) => done(session));
const odd: readonly unknown[] = [1, {}, ['x'], true];

describe('a session id that is missing or null', () => {
  test('means the default session, for prompts and for every method', async () => {
    await using agent = agentWith({ where });
    const skillName = 'where';
    for (const options of [
      null,
      { context: null },
      { session: null },
      { context: { sessionId: null, user: null } },
      { context: { user: { id: null, sessionId: null, sessionToken: null } } },
    ]) {
      const given = options === null ? {} : { ...options, skillName };
      const prompt = options === null ? '/where' : 'x';
      const { text } = await agent.executePrompt(prompt, (options === null ? null : given) as never);
      assert.equal(text, 'default', JSON.stringify(options));
    }
    assert.equal((await agent.run({ prompt: '/where', session: null as never }).result).text, 'default');
    assert.equal(agent.session(null).id, 'default');
    for (const id of [undefined, null]) {
      await agent.getSessionMemory(id).set('k', 1);
      assert.equal(await agent.sessionMemory.get('k'), 1);
      assert.equal(await agent.hasSession(id), true);
      await agent.clearSessionMemory(id);
      assert.equal(await agent.sessionMemory.has('k'), false);
      assert.equal(await agent.deleteSession(id), false);
    }
    assert.deepEqual(await agent.getActiveSessions(), []);
  });
});

describe('a session id that is not text', () => {
  test('is a typed error everywhere', async () => {
    await using agent = agentWith({ where });
    const misuse = { code: 'usage.bad-input' };
    for (const id of odd as readonly never[]) {
      for (const context of [{ sessionId: id }, { user: { sessionId: id } }, { user: { sessionToken: id } }])
        assert.equal(codeOf(await agent.executePrompt('/where', { context })), misuse.code);
      assert.equal(codeOf(await agent.run({ prompt: '/where', session: id }).result), misuse.code);
      assert.throws(() => agent.session(id), misuse);
      assert.throws(() => agent.getSessionMemory(id), misuse);
      for (const call of ['hasSession', 'clearSessionMemory', 'deleteSession'] as const)
        await assert.rejects(agent[call](id), misuse, call);
    }
    for (const user of ['ann', 7] as unknown as readonly never[])
      assert.equal(codeOf(await agent.executePrompt('/where', { context: { user } })), misuse.code);
    assert.equal(codeOf(await agent.executePrompt('/where', 'ann' as never)), misuse.code);
  });
});

describe('sessions after the agent was shut down', () => {
  test('are a typed error, whether or not anything ran before', async () => {
    for (const isUsed of [true, false]) {
      const agent = agentWith({ where });
      if (isUsed) await agent.executePrompt('/where');
      await agent.shutdown();
      const misuse = { code: 'usage.bad-input' };
      await assert.rejects(agent.getSessionStats(), misuse);
      await assert.rejects(agent.getActiveSessions(), misuse);
      await assert.rejects(agent.cleanupSessions(), misuse);
      await assert.rejects(agent.sessionMemory.get('k'), misuse);
    }
  });
});
