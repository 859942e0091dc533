import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { openPostgresStore } from '../../src/stores/postgres/store.ts';
import { agentWith, done, settled, type Run } from '../support/kernel.ts';
import type { OwnPostgres } from '../support/postgres.ts';
import { checkLog, logOf, stepKeys } from './start-worker.ts';

const runs = 12;
const steps = 10;

/**
 * Starts 12 runs, half of them as turns of sessions. Stops the server as soon as `isDue` resolves, and starts
 * it again. Checks that all runs end, and that each effect happened once and is in the log once. Resolves to
 * the number of runs that had to be resumed.
 */
export async function runAcrossRestart(
  server: OwnPostgres,
  isDue: (effects: readonly string[]) => Promise<void>,
  downMs: number,
): Promise<number> {
  const effects: string[] = [];
  const ten: Run = async (_input, scope) => {
    scope.memory.set('n', Number((await scope.memory.get('n')) ?? 0) + 1);
    for (let step = 1; step <= steps; step += 1) {
      await scope.step(`s${step}`, async (key) => {
        await delay(5);
        return effects.push(key);
      });
    }
    return done('all');
  };
  const store = await openPostgresStore(server.url);
  const agent = agentWith({ ten }, { store });
  let resumed = 0;
  try {
    const handles = Array.from({ length: runs }, (_, index) => {
      const session = crypto.randomUUID();
      return agent.run(index % 2 === 0 ? { skill: 'ten', session } : { prompt: '/ten', session });
    });
    await isDue(effects);
    await server.stopNow();
    await delay(downMs);
    await server.startAgain();
    for (const handle of handles) {
      let result = await settled(handle.result);
      if (result.status !== 'done') {
        resumed += 1;
        assert.deepEqual([result.status, result.error?.code], ['interrupted', 'sandbox.store']);
        result = await settled(agent.runs.resume(handle.id).result);
      }
      assert.deepEqual([result.status, result.text], ['done', 'all']);
      const log = await logOf(server.url, result.runId);
      checkLog(log);
      assert.equal(stepKeys(log, 'step.ended').length, steps + 1); // and the read of the memory
    }
    assert.deepEqual([effects.length, new Set(effects).size], [runs * steps, runs * steps]);
  } finally {
    await agent.shutdown();
    await store.close();
  }
  return resumed;
}
