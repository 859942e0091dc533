import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, askAbout, done, said, settled, type Run } from '../../test/support/kernel.ts';
import { createMemoryStore } from '../stores/memory.ts';

test('leave alone is asked for, and nothing is done', async () => {
  const did: string[] = [];
  const child: Run = (input) => {
    did.push(input as string);
    return done('child');
  };
  const top: Run = async (_input, scope) => {
    const leave = said(await scope.call('child', 'only asked', { leaveOnly: true }));
    return done(`${leave} ${said(await scope.call('child', 'really'))}`);
  };
  const options = { store: createMemoryStore(), policy: askAbout('child') };
  await using agent = agentWith({ top, child }, options);
  const { runId, question } = await settled(agent.run({ skill: 'top' }).result);
  await agent.runs.approve(runId, question?.id ?? '', { deny: 'Never.' });
  const refused = await settled(agent.runs.resume(runId).result);
  assert.equal(refused.status, 'waiting');
  assert.deepEqual(did, []);

  const second = await settled(agent.run({ skill: 'top' }).result);
  await agent.runs.approve(second.runId, second.question?.id ?? '', { allow: 'run' });
  assert.equal((await settled(agent.runs.resume(second.runId).result)).text, 'It may be done. child');
  assert.deepEqual(did, ['really']);
});
