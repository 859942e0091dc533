import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, textOf, type Run } from '../../test/support/kernel.ts';
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
