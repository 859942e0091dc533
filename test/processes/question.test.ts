import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { until } from '../support/deadline.ts';
import { checkLog, effectsIn, logOf, startWorker, stepKeys } from './start-worker.ts';
import { sharedStores } from './stores.ts';
import { workerSkills } from './worker-skills.ts';

const { folder, kinds } = await sharedStores();
const cache = folder.at('cache');
const values = ['"green" paint', 'quick done', 'slow done'];

for (const kind of kinds) {
  test(
    `${kind.name}: a question in one of three branches outlives its process and is answered in another one`,
    { skip: kind.skip },
    async () => {
      const store = kind.locate('outlives');
      const effects = folder.at(`outlives-${kind.name}.effects`);
      const run = { skill: 'branches', input: { isPatient: false } };
      await using first = startWorker({ store, effects, run }, cache);
      const { id } = await first.line('id');
      const { result: waiting } = await first.line('result');
      const end = await first.ended;
      assert.deepEqual([end.code, end.signal, end.err], [0, null, '']);
      assert.equal(waiting.status, 'waiting');
      assert.equal(waiting.question?.text, 'Which colour?');
      const log = await logOf(store, id);
      assert.equal(log.at(-1)?.type, 'run.waiting');
      assert.equal(stepKeys(log, 'step.ended').length, 2, 'the other branches have not finished');

      await using agent = new RecursiveSkilledAgent({ store, embeddings: false });
      for (const skill of workerSkills(effects)) agent.skills.register(skill);
      assert.equal((await agent.runs.resume(id).result).status, 'waiting', 'without an answer it waits on');
      assert.equal((await agent.runs.events(id)).length, log.length);
      await agent.runs.answer(id, 'green');
      await assert.rejects(agent.runs.answer(id, 'red'), { code: 'usage.bad-input' });

      await using second = startWorker({ store, effects, run: id }, cache);
      const { result } = await second.line('result');
      assert.equal((await second.ended).code, 0);
      assert.equal(result.status, 'done', JSON.stringify(result));
      assert.deepEqual(result.value, values);
      checkLog(await agent.runs.events(id));
      assert.deepEqual(
        effectsIn(effects).map(({ step, pid }) => [step, pid]),
        [
          ['quick', first.pid],
          ['slow', first.pid],
          ['paint', second.pid],
        ],
      );
    },
  );

  test(
    `${kind.name}: an answer from another process is resumed while sibling branches continue`,
    { skip: kind.skip },
    async () => {
      const store = kind.locate('meanwhile');
      const effects = folder.at(`meanwhile-${kind.name}.effects`);
      const run = { skill: 'branches', input: { isPatient: true } };
      await using worker = startWorker({ store, effects, run }, cache);
      await using agent = new RecursiveSkilledAgent({ store, embeddings: false });
      const { id } = await worker.line('id');
      await until(async () => {
        return (await agent.runs.events(id)).some(({ type }) => type === 'input.requested');
      }, 'it asks');
      await agent.runs.answer(id, 'green');

      const { result } = await worker.line('result');
      assert.equal((await worker.ended).code, 0);
      assert.equal(result.status, 'done', JSON.stringify(result));
      assert.deepEqual(result.value, values);
      const log = await agent.runs.events(id);
      checkLog(log);
      assert.equal(log.filter(({ type }) => type === 'run.resumed' || type === 'run.waiting').length, 0);
      assert.deepEqual(
        effectsIn(effects)
          .map(({ step }) => step)
          .sort(),
        ['paint', 'quick', 'slow'],
      );
      assert.ok(effectsIn(effects).every(({ pid }) => pid === worker.pid));
    },
  );
}
