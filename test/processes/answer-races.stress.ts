import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isAgentError } from '../../src/core/error.ts';
import type { RunResult } from '../../src/core/run.ts';
import { openLoops } from '../stress/stress.ts';
import { agentWith, done, settled, textOf, type Run } from '../support/kernel.ts';
import { checkLog } from './start-worker.ts';
import { sharedStores } from './stores.ts';

const { kinds } = await sharedStores();
const { createLoop } = openLoops(import.meta);

for (const kind of kinds) {
  const loop = createLoop({ small: 3, full: 30 });
  test(
    `${kind.name}: while several answer a run and others resume it, one answer counts and each effect happens once`,
    { skip: kind.skip },
    async () => {
      const effects: string[] = [];
      const happen = (effect: string): null => {
        effects.push(effect);
        return null;
      };
      const top: Run = async (input, scope) => {
        await scope.step('before', () => happen(`${textOf(input)} before`));
        const answers = [textOf(await scope.ask('First?')), textOf(await scope.ask('Second?'))];
        await scope.step('after', () => happen(`${textOf(input)} after`));
        return done(answers.join(', '));
      };
      const store = kind.locate('answer-races');
      const agents = Array.from({ length: 4 }, () => agentWith({ top }, { store }));
      const [first] = agents;
      assert.ok(first);
      await loop.rounds(async ({ number: round }) => {
        const { runId } = await settled(first.run({ skill: 'top', input: String(round) }).result);
        const given: string[] = [];
        for (const turn of ['first', 'second']) {
          const winners: string[] = [];
          await settled(
            Promise.all(
              agents.map(async (agent, index) => {
                await delay((round * index) % 7);
                const resumed = agent.runs.resume(runId).result; // too early for most of them
                const { question } = await agent.runs.result(runId);
                try {
                  await agent.runs.answer(runId, `${turn} ${index}`, question?.id);
                  winners.push(`${turn} ${index}`);
                } catch (thrown) {
                  const code = isAgentError(thrown) ? thrown.code : String(thrown);
                  assert.ok(['usage.bad-input', 'usage.not-found'].includes(code), code);
                }
                await resumed;
                await agent.runs.resume(runId).result;
              }),
            ),
            'a turn',
          );
          given.push(...winners);
        }
        const result: RunResult = await first.runs.result(runId);
        assert.equal(result.status, 'done', JSON.stringify(result));
        assert.deepEqual(result.text.split(', ').sort(), given.sort(), 'whoever was told so did not answer');
        assert.deepEqual(effects.splice(0), [`${round} before`, `${round} after`]);
        checkLog(await first.runs.events(runId));
      });
      await Promise.all(agents.map((agent) => agent.shutdown()));
    },
  );
}
