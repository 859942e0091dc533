import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runProgram } from '../../test/support/kernel.ts';

describe('what a skill leaves behind', () => {
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
          void scope.catalog();
          void scope.sandbox();
          void scope.keep('k', 'run', () => Promise.reject(new Error('no')));
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

  // defect: a read of memory that nobody waits for is an unhandled rejection when its frame ends
  test('in memory costs no process', async () => {
    const { exitCode } = await runProgram(`
      await using agent = agentWith({ top: (_input, scope) => { void scope.memory.get('x'); return done('left'); } });
      await agent.run({ skill: 'top' }).result;
      await new Promise((resolve) => setTimeout(resolve, 50));
    `);
    assert.equal(exitCode, 0);
  });

  // defect: a model stream throws when its frame ends, although a model never throws
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
});
