import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { collect } from '../../../core/model.ts';
import { defineSkill } from '../../../core/define-skill.ts';
import { createScriptedModel } from '../../../models/scripted.ts';
import { createBill, usedText } from './context.ts';

const usage = { inputTokens: 100, outputTokens: 10, cost: 0.02 };

/** Creates an agent whose skill `ponder` asks a model once. */
function ponderer(store: string): RecursiveSkilledAgent {
  const models = createScriptedModel(() => ({ text: 'Well.', usage }));
  const agent = new RecursiveSkilledAgent({ store, models });
  agent.skills.register(
    defineSkill({
      name: 'ponder',
      description: 'Ponders.',
      async run(_input, scope) {
        const request = { messages: [{ role: 'user', text: 'Well?' }] } as const;
        const { text } = await collect(scope.model('plan').stream(request, scope.signal));
        return { status: 'done', text };
      },
    }),
  );
  return agent;
}

describe('what a conversation used', () => {
  test('counts runs of before, each once, and none of other conversations', async () => {
    using files = tree();
    await using agent = ponderer(files.at('runs.db'));
    const ponder = async (session: string): Promise<string> => {
      const { runId, status, text } = await agent.run({ prompt: '/ponder', session }).result;
      assert.equal(status, 'done', text);
      return runId;
    };
    await ponder('s1');
    await ponder('s2');
    const bill = createBill(agent, 's1');
    const runId = await ponder('s1');
    bill.note(runId, usage);
    const both = { runs: 2, used: { inputTokens: 200, outputTokens: 20, cost: 0.04 } };
    assert.deepEqual(await bill.total(), both);
    bill.note(runId, usage);
    assert.deepEqual(await bill.total(), both, 'a run that went on is the same run');
    bill.note('r_later', { inputTokens: 1, outputTokens: 1 });
    const { runs, used } = await bill.total();
    assert.deepEqual([runs, used.inputTokens, used.outputTokens], [3, 201, 21]);
  });

  test('is nothing before the first run', async () => {
    using files = tree();
    await using agent = ponderer(files.at('runs.db'));
    assert.deepEqual(await createBill(agent, 's1').total(), {
      runs: 0,
      used: { inputTokens: 0, outputTokens: 0 },
    });
  });

  test('is given in tokens, and in money if the price is known', () => {
    assert.equal(usedText({ inputTokens: 2_300, outputTokens: 10 }), '2,310 tok');
    assert.equal(usedText({ inputTokens: 2_300, outputTokens: 10, cost: 0.04 }), '2,310 tok, $0.04');
  });
});
