import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLoops } from '../../../test/stress/stress.ts';
import { agentWith, done, hang, ofType } from '../../../test/support/kernel.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 3_000, full: 10_000 });

test('a run ends thousands of open calls at once, even those that would never end by themselves', async () => {
  await loop.sizes(async (calls) => {
    const limits = { leafCalls: 2 * calls, runSeconds: 600, callSeconds: 600 };
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const open = Array.from({ length: calls }, (_, n) => scope.call('leaf', n));
          const ended = await Promise.all(open.slice(0, calls / 2));
          return done(String(ended.filter(({ status }) => status === 'done').length));
        },
        leaf: { allowedSkills: [], run: (input) => (Number(input) < calls / 2 ? done() : hang()) },
      },
      { limits },
    );
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).text, String(calls / 2));
    const events = await agent.runs.events(run.id);
    assert.equal(ofType(events, 'frame.ended').length, ofType(events, 'frame.started').length);
  });
});
