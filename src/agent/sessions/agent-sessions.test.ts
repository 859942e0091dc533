import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { agentWith, done, textOf, type TestSkill } from '../../../test/support/kernel.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { started } from '../../testing/store/test-store.ts';
import type { PromptOptions } from '../prompt-options.ts';
import { processOwner } from '../process-owner.ts';

const asks: TestSkill = { run: async (_input, scope) => done(textOf(await scope.ask('Which way?'))) };
const notes: TestSkill = {
  run: (input, scope) => {
    scope.memory.set('last', textOf(input));
    return done();
  },
};

describe('a session of a token', () => {
  const withToken = (sessionToken: string): PromptOptions => ({ context: { user: { sessionToken } } });

  test('is found, read, cleared and deleted by the token and by the listed id, and listed without it', async () => {
    await using agent = agentWith({ notes, asks });
    await agent.executePrompt('/notes left', withToken('secret-token'));
    const [listed = ''] = await agent.getActiveSessions();
    assert.match(listed, /^token-[0-9a-f]{32}$/);
    for (const id of ['secret-token', listed]) {
      assert.equal(await agent.hasSession(id), true, id);
      assert.equal(await agent.getSessionMemory(id).get('notes/last'), 'left', id);
    }
    await agent.getSessionMemory('secret-token').set('notes/last', 'right');
    assert.equal(await agent.getSessionMemory(listed).get('notes/last'), 'right');
    await agent.clearSessionMemory('secret-token');
    assert.equal(await agent.getSessionMemory(listed).get('notes/last'), undefined);
    await agent.executePrompt('/asks', withToken('secret-token'));
    assert.deepEqual(await agent.getActiveSessions(), [listed]);
    assert.equal(JSON.stringify(await agent.getSessionStats()).includes('secret'), false);
    assert.equal(await agent.deleteSession('secret-token'), true);
    assert.deepEqual(await agent.runs.list({ status: ['waiting'] }), []);
    assert.equal(await agent.hasSession(listed), false);
    assert.equal(await agent.deleteSession('secret-token'), false);
  });

  test('is found by the token in another process, and a session with that name comes first', async () => {
    const store = createMemoryStore();
    await using first = agentWith({ notes }, { store });
    await using second = agentWith({ notes }, { store });
    await second.executePrompt('/notes own', { session: 'own' });
    await first.executePrompt('/notes left', withToken('secret-token'));
    assert.equal(await second.hasSession('secret-token'), true);
    assert.equal(await second.getSessionMemory('secret-token').get('notes/last'), 'left');
    assert.equal(await second.deleteSession('secret-token'), true);
    await first.executePrompt('/notes other', withToken('own'));
    assert.equal(await first.getSessionMemory('own').get('notes/last'), 'own');
  });

  test('that is deleted before a prompt is requested does not take that prompt with it', async () => {
    await using agent = agentWith({ notes });
    await agent.executePrompt('/notes left', withToken('secret-token'));
    const [listed = ''] = await agent.getActiveSessions();
    const isGone = agent.deleteSession(listed);
    const next = agent.executePrompt('/notes right', withToken('secret-token'));
    assert.equal(await isGone, true);
    assert.equal((await next).ok, true);
    assert.equal(await agent.getSessionMemory('secret-token').get('notes/last'), 'right');
  });
});

test(
  'a session is not executing when the process of its run is dead',
  { skip: process.platform !== 'linux' },
  async () => {
    const store = createMemoryStore();
    const { pid } = spawnSync(process.execPath, ['--version']);
    const begin = async (id: string, session: string, owner: string): Promise<void> => {
      const epoch = await store.claim(id, owner);
      await store.append(id, epoch, [started({ session })]);
    };
    await begin('r_dead', 'dead', processOwner().replace(/^\d+/, String(pid)));
    await begin('r_alive', 'alive', processOwner());
    await using agent = agentWith({ notes }, { store });
    for (const session of ['dead', 'alive']) await agent.getSessionMemory(session).set('k', 1);
    const { sessions } = await agent.getSessionStats();
    assert.deepEqual(
      sessions.slice(1).map(({ sessionId, isExecuting }) => [sessionId, isExecuting]),
      [
        ['dead', false],
        ['alive', true],
      ],
    );
    assert.equal((await agent.runs.result('r_dead')).status, 'interrupted');
    assert.equal((await agent.runs.result('r_alive')).status, 'running');
  },
);
