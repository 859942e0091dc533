import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, ofType, said } from '../../test/support/kernel.ts';

describe('a call with a key', () => {
  test('that ended is given again', async () => {
    let times = 0;
    await using agent = agentWith({
      parent: async (_input, scope) => {
        const one = await scope.call('child', 1, { key: 'k' });
        const two = await scope.call('child', 1, { key: 'k' });
        return done(`${one.text} ${two.text}`);
      },
      child: () => done(String(++times)),
    });
    assert.equal((await agent.run({ skill: 'parent' }).result).text, '1 1');
  });

  test('that is under way is joined', async () => {
    let times = 0;
    await using agent = agentWith({
      parent: async (_input, scope) => {
        const both = await Promise.all([
          scope.call('child', 1, { key: 'k' }),
          scope.call('child', 1, { key: 'k' }),
        ]);
        return done(both.map(said).join(' '));
      },
      child: () => done(String(++times)),
    });
    const run = agent.run({ skill: 'parent' });
    assert.equal((await run.result).text, '1 1');
    assert.equal(ofType(await agent.runs.events(run.id), 'frame.started').length, 2);
  });

  test('and another input ends the run: nothing runs again', async () => {
    await using agent = agentWith({
      parent: async (_input, scope) => {
        await scope.call('child', 1, { key: 'k' });
        await scope.call('child', 2, { key: 'k' });
        return done('not reached');
      },
      child: () => done(),
    });
    const result = await agent.run({ skill: 'parent' }).result;
    assert.deepEqual([result.status, codeOf(result)], ['failed', 'internal.diverged']);
  });

  test('that was refused is not the answer to another call', async () => {
    await using agent = agentWith({
      parent: async (_input, scope) => {
        await scope.call('nobody', 1, { key: 'k' });
        return scope.call('child', 2, { key: 'k' });
      },
      child: () => done(),
    });
    assert.equal(codeOf(await agent.run({ skill: 'parent' }).result), 'internal.diverged');
  });

  test('and without one equal calls are told apart by their number', async () => {
    let times = 0;
    await using agent = agentWith({
      parent: async (_input, scope) => {
        const all = await Promise.all([1, 2, 3].map(() => scope.call('child', 1)));
        return done(all.map(said).join(' '));
      },
      child: () => done(String(++times)),
    });
    assert.equal((await agent.run({ skill: 'parent' }).result).text, '1 2 3');
  });
});
