import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, ofType, said, textOf, type Run } from '../../../test/support/kernel.ts';
import type { Json } from '../../core/json.ts';
import { createMemoryStore } from '../../stores/memory.ts';

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

  test('and without one equal calls are distinguished by their number', async () => {
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

describe('what a host wants of a run', () => {
  const checked: Run = async (_input, scope) => {
    await scope.ask('On?');
    return done(textOf((await scope.request.overrides.check?.('x')) ?? 'x'));
  };
  const overrides = { check: (value: Json) => `checked ${textOf(value)}` };

  test('may be a check alone, also after a wait', async () => {
    await using agent = agentWith({ checked });
    const { runId } = await agent.run({ skill: 'checked', overrides }).result;
    await agent.runs.answer(runId, 'yes');
    assert.equal((await agent.runs.resume(runId).result).text, 'checked x');
  });

  test('is left out by a process that did not begin it, and is the same run all the same', async () => {
    const store = createMemoryStore();
    const first = agentWith({ checked }, { store });
    const { runId } = await first.run({ skill: 'checked', overrides }).result;
    await first.shutdown();
    await using second = agentWith({ checked }, { store });
    await second.runs.answer(runId, 'yes');
    assert.equal((await second.runs.resume(runId).result).text, 'x');
  });
});

describe('a way into a skill', () => {
  test('that there is not is refused, whatever the family has under that name', async () => {
    const plain: Run = () => done('executed');
    await using agent = agentWith({ plain });
    for (const mode of ['execute', 'adopt', 'constructor', 'toString']) {
      const result = await agent.run({ skill: 'plain', mode: mode as 'load' }).result;
      assert.equal(codeOf(result), 'usage.bad-input', mode);
    }
  });
});

describe('what a caller wants', () => {
  test('reaches the skill, and is a part of what was asked for', async () => {
    const asked: Run = (_input, scope) => done(JSON.stringify(scope.request.overrides));
    const top: Run = async (_input, scope) => {
      const overrides = { maxTicks: 3, result: { type: 'string' } };
      return done((await scope.call('asked', null, { overrides })).text);
    };
    await using agent = agentWith({ top, asked });
    assert.equal(
      (await agent.run({ skill: 'top' }).result).text,
      '{"maxTicks":3,"result":{"type":"string"}}',
    );
  });

  test('of a run is kept with it, but for the function among it', async () => {
    const asked: Run = async (_input, scope) =>
      done(
        `${scope.request.overrides.maxTicks ?? 0} ${textOf((await scope.request.overrides.check?.('x')) ?? 'none')}`,
      );
    await using agent = agentWith({ asked });
    const overrides = { maxTicks: 4, check: (value: Json) => `checked ${textOf(value)}` };
    const { runId, text } = await agent.run({ skill: 'asked', overrides }).result;
    assert.equal(text, '4 checked x');
    const [started] = ofType(await agent.runs.events(runId), 'run.started');
    assert.deepEqual(started?.wanted, { maxTicks: 4 });
    assert.equal((await agent.runs.rerun(runId).result).text, '4 none');
  });
});
