import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, codeOf } from '../../../test/support/kernel.ts';
import { AgentError, type ErrorCode } from '../../core/error.ts';

const secret = 'open-sesame-1234';

test('a code that is unknown, or a secret, is kept as skill.failed', async () => {
  for (const code of ['my.own-code', secret, '', 7] as unknown as ErrorCode[]) {
    await using agent = agentWith(
      { top: () => ({ status: 'failed', text: 'no', error: { code, message: `no ${secret}` } }) },
      { secrets: [secret] },
    );
    const run = agent.run({ skill: 'top' });
    const result = await run.result;
    assert.deepEqual(
      [codeOf(result), result.error?.message],
      ['skill.failed', 'no [redacted]'],
      `code ${code}`,
    );
    assert.ok(!JSON.stringify(await agent.runs.events(run.id)).includes(secret));
  }
});

test('a code that is unknown, or a secret, is kept as skill.failed when it is thrown', async () => {
  for (const code of ['my.own-code', secret] as unknown as ErrorCode[]) {
    const fail = (): never => {
      throw new AgentError(code, 'no');
    };
    await using agent = agentWith(
      { top: fail, steps: async (_input, scope) => scope.step('s', fail) },
      { secrets: [secret] },
    );
    for (const skill of ['top', 'steps']) {
      const run = agent.run({ skill });
      assert.equal(codeOf(await run.result), 'skill.failed', `${skill} ${code}`);
      assert.ok(!JSON.stringify(await agent.runs.events(run.id)).includes(secret));
    }
  }
});
