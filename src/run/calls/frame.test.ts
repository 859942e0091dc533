import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runProgram } from '../../../test/support/kernel.ts';

describe('resources that a skill leaves open', () => {
  test('in steps, calls and questions costs no process', async () => {
    const { exitCode, output } = await runProgram(`
      await using agent = agentWith({
        top: (_input, scope) => {
          void scope.step('a', () => hang());
          void scope.step('b', () => Promise.reject(new Error('no')));
          void scope.call('child', 1);
          void scope.call('nobody', 1);
          void scope.ask('x');
          void scope.now();
          void scope.random();
          void scope.skills.catalog();
          void scope.processes.sandbox();
          void scope.resources.open('k', 'run', () => Promise.reject(new Error('no')));
          return done('left');
        },
        child: (_input, scope) => { void scope.step('c', () => hang()); return hang(); },
      });
      const run = agent.run({ skill: 'top' });
      console.log((await run.result).text);
      const open = (await agent.runs.events(run.id)).filter(({ type }) => type.startsWith('frame.')).length;
      console.log(open % 2);
      await new Promise((resolve) => setTimeout(resolve, 50));
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'left\n0']);
  });

  test('in memory costs no process', async () => {
    const { exitCode } = await runProgram(`
      await using agent = agentWith({ top: (_input, scope) => { void scope.memory.get('x'); return done('left'); } });
      await agent.run({ skill: 'top' }).result;
      await new Promise((resolve) => setTimeout(resolve, 50));
    `);
    assert.equal(exitCode, 0);
  });

  test('in a model costs no process', async () => {
    const { exitCode } = await runProgram(`
      await using agent = agentWith(
        { top: (_input, scope) => { void collect(scope.model('fast').stream({ messages: [] }, scope.signal)); return done('left'); } },
        { models: { fast: createScriptedModel([{ text: 'x', hang: true }]) } },
      );
      await agent.run({ skill: 'top' }).result;
      await new Promise((resolve) => setTimeout(resolve, 50));
    `);
    assert.equal(exitCode, 0);
  });

  test('and waits for later costs no process when it is cancelled or out of time', async () => {
    for (const [limits, act, said] of [
      ['{ callSeconds: 600 }', 'await run.cancel();', 'usage.cancelled'],
      ['{ callSeconds: 5 }', '', 'limit.time'],
    ]) {
      const { exitCode, output } = await runProgram(`
        const agent = agentWith({
          top: async (_input, scope) => {
            scope.signal.addEventListener('abort', () => console.log('aborted'));
            const left = (async () => { await scope.step('a', () => hang()); })();
            await scope.step('b', () => hang());
            await left;
            return done();
          },
        }, { limits: ${limits} });
        const run = agent.run({ skill: 'top' });
        await until(async () => (await agent.runs.events(run.id)).filter(({ type }) => type === 'step.started').length === 2);
        ${act}
        const { error } = await run.result;
        await new Promise((resolve) => setTimeout(resolve, 50));
        console.log(error.code);
      `);
      assert.deepEqual([exitCode, output.trim()], [0, `aborted\n${said}`]);
    }
  });

  test('and waits for in another order costs no process when it is cancelled', async () => {
    for (const waits of [
      'await one; await two;',
      'await new Promise((resolve) => setTimeout(resolve, 500)); await one; await two;',
    ]) {
      const { exitCode, output } = await runProgram(`
        const agent = agentWith({
          top: async (_input, scope) => {
            const work = async (key) => { await scope.step(key, () => hang()); };
            const one = work('a');
            const two = work('b');
            ${waits}
            return done();
          },
        });
        const run = agent.run({ skill: 'top' });
        await until(async () => (await agent.runs.events(run.id)).filter(({ type }) => type === 'step.started').length === 2);
        await run.cancel();
        await new Promise((resolve) => setTimeout(resolve, 50));
        console.log((await run.result).status);
      `);
      assert.deepEqual([exitCode, output.trim()], [0, 'cancelled'], waits);
    }
  });
});
