import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startGenerationWorker } from '../../test/processes/start-generation-worker.ts';
import { openLoops } from '../../test/stress/stress.ts';
import { generate, statuses } from '../../test/support/generation-stage.ts';
import { tree } from '../../test/support/tree.ts';
import { settleGeneration } from './lock.ts';

const { createLoop } = openLoops(import.meta);
const kills = createLoop({ small: 5, full: 50 });
const names = ['index', 'lib/parse', 'lib/words', 'table'];

test('processes that are killed at any moment leave all of the old code or all of the new', async (t) => {
  using base = tree(Object.fromEntries(names.map((name) => [`sum/specs/${name}.md`, `# ${name}`])));
  const dir = base.at('sum');
  const observed = new Set<string>();
  let unfinished = 0;
  const done = await kills.rounds(async ({ random }) => {
    await using worker = startGenerationWorker({ dir, task: 'again' });
    assert.equal(await worker.said(), 'begun');
    await pause(random.below(60)); // any moment will do
    await worker.kill();
    if (readdirSync(base.at('.generation/sum')).includes('swap.json')) unfinished += 1;
    await settleGeneration(dir);
    const texts = new Set(names.map((name) => readFileSync(base.at(`sum/src/${name}.ts`), 'utf8')));
    assert.equal(texts.size, 1, [...texts].join(', '));
    for (const text of texts) observed.add(text);
    assert.deepEqual([...new Set(Object.values(statuses(dir)))], ['current']);
    assert.deepEqual(readdirSync(dir), ['specs', 'src']);
  });
  assert.ok(observed.size > (done === 1 ? 0 : 1));
  await generate(dir, { force: true });
  assert.deepEqual(readdirSync(base.at('.generation/sum')), ['lock']);
  t.diagnostic(`${unfinished} of ${done} in the middle of a swap`);
});
