import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, textOf, type TestSkill } from '../../../test/support/kernel.ts';
import { codeThrown } from '../../../test/support/code-thrown.ts';
import { AgentError } from '../../core/error.ts';
import { collect } from '../../core/model.ts';
import { createScriptedModel } from '../../models/scripted.ts';

const echo: TestSkill = { run: (input) => done(`echo: ${textOf(input)}`) };
const asks: TestSkill = { run: async (_input, scope) => done(textOf(await scope.ask('Which way?'))) };

describe('a signal', () => {
  test('may be null wherever a program passes one', async () => {
    await using agent = agentWith({ echo, asks });
    const none = { signal: null as never };
    assert.equal((await agent.run({ skill: 'echo', input: 'a', ...none }).result).text, 'echo: a');
    const prompted = await agent.executePrompt('/echo a', none);
    assert.equal(prompted.text, 'echo: a');
    assert.equal(await agent.session('s').skill('echo', { args: 'a', ...none }), 'echo: a');
    assert.equal(await agent.session('s', none).skill('echo', { args: 'a' }), 'echo: a');
    assert.equal((await agent.runs.rerun(prompted.runId, none).result).ok, true);
    const { runId } = await agent.run({ skill: 'asks' }).result;
    await agent.runs.answer(runId, 'left');
    assert.equal((await agent.runs.resume(runId, none).result).text, 'left');
  });

  test('of another type is refused', async () => {
    await using agent = agentWith({ echo });
    const { runId } = await agent.run({ skill: 'echo' }).result;
    for (const wrong of [{}, 'stop', 0, false, new AbortController()]) {
      const options = { signal: wrong as never };
      const results = await Promise.all([
        agent.run({ skill: 'echo', ...options }).result,
        agent.executePrompt('/echo a', options),
        agent.runs.resume(runId, options).result,
        agent.runs.rerun(runId, options).result,
      ]);
      assert.deepEqual(
        results.map(codeOf),
        results.map(() => 'usage.bad-input'),
      );
      assert.equal(await codeThrown(agent.session('s').skill('echo', options)), 'usage.bad-input');
      assert.equal(await codeThrown(agent.session('s', options).skill('echo')), 'usage.bad-input');
    }
  });
});

test('the cleanup timer can be stopped when the agent is shut down', async () => {
  for (const before of [true, false]) {
    const agent = agentWith({ echo });
    if (before) await agent.executePrompt('/echo a');
    const shutdown = agent.shutdown();
    await agent.stopCleanupTimer();
    await shutdown;
    await agent.stopCleanupTimer();
  }
});

test('maxTicks above the limit of steps is the limit of the run, however it is started', async () => {
  const think: TestSkill = {
    run: async (_input, scope) => {
      for (let step = 0; step < 6; step++) {
        const reply = await collect(scope.model('fast').stream({ messages: [] }, scope.signal));
        if (reply.error !== undefined) throw new AgentError(reply.error.code, reply.error.message);
      }
      return done('thought');
    },
  };
  const models = { fast: createScriptedModel(() => 'yes') };
  await using agent = agentWith({ think }, { models, limits: { steps: 3 } });
  const overrides = { maxTicks: 6 };
  const results = [
    await agent.run({ skill: 'think', overrides }).result,
    await agent.executePrompt('/think', { overrides }),
    await agent.run({ skill: 'think', overrides, limits: { steps: 5 } }).result,
    await agent.run({ skill: 'think' }).result,
    await agent.run({ skill: 'think', overrides: { maxTicks: 6.5 } }).result,
  ];
  assert.deepEqual(results.map(codeOf), ['', '', 'limit.steps', 'limit.steps', 'limit.steps']);
  assert.equal(await agent.session('s').skill('think', overrides), 'thought');
  const limited = agent.session('s', { limits: { steps: 5 } });
  assert.equal(await codeThrown(limited.skill('think', overrides)), 'limit.steps');
});
