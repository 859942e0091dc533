import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, ofType, textOf, type Run } from '../../test/support/kernel.ts';
import type { Json } from '../core/json.ts';
import { createMemoryStore } from '../stores/memory.ts';

describe('what a host wants of a run', () => {
  const checked: Run = async (_input, scope) => {
    await scope.ask('On?');
    return done(textOf((await scope.wanted.check?.('x')) ?? 'x'));
  };
  const wanted = { check: (value: Json) => `checked ${textOf(value)}` };

  test('may be a check alone, also after a wait', async () => {
    await using agent = agentWith({ checked });
    const { runId } = await agent.run({ skill: 'checked', wanted }).result;
    await agent.runs.answer(runId, 'yes');
    assert.equal((await agent.runs.resume(runId).result).text, 'checked x');
  });

  test('is left out by a process that did not begin it, and is the same run all the same', async () => {
    const store = createMemoryStore();
    const first = agentWith({ checked }, { store });
    const { runId } = await first.run({ skill: 'checked', wanted }).result;
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
    for (const through of ['execute', 'adopt', 'constructor', 'toString']) {
      const result = await agent.run({ skill: 'plain', through: through as 'load' }).result;
      assert.equal(codeOf(result), 'usage.bad-input', through);
    }
  });
});

describe('what a caller wants', () => {
  test('reaches the skill, and is a part of what was asked for', async () => {
    const asked: Run = (_input, scope) => done(JSON.stringify(scope.wanted));
    const top: Run = async (_input, scope) => {
      const wanted = { maxTicks: 3, result: { type: 'string' } };
      return done((await scope.call('asked', null, { wanted })).text);
    };
    await using agent = agentWith({ top, asked });
    assert.equal(
      (await agent.run({ skill: 'top' }).result).text,
      '{"maxTicks":3,"result":{"type":"string"}}',
    );
  });

  test('of a run is kept with it, but for the function among it', async () => {
    const asked: Run = async (_input, scope) =>
      done(`${scope.wanted.maxTicks ?? 0} ${textOf((await scope.wanted.check?.('x')) ?? 'none')}`);
    await using agent = agentWith({ asked });
    const wanted = { maxTicks: 4, check: (value: Json) => `checked ${textOf(value)}` };
    const { runId, text } = await agent.run({ skill: 'asked', wanted }).result;
    assert.equal(text, '4 checked x');
    const [started] = ofType(await agent.runs.events(runId), 'run.started');
    assert.deepEqual(started?.wanted, { maxTicks: 4 });
    assert.equal((await agent.runs.rerun(runId).result).text, '4 none');
  });
});
