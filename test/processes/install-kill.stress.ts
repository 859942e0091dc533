import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLoops } from '../stress/stress.ts';
import { openKillStage } from './install-kill.ts';

const { createLoop } = openLoops(import.meta);
const everyStep = createLoop({ small: 8, full: Infinity });

test('an installation that is killed at any step leaves the old skills or the new ones', async (t) => {
  using stage = openKillStage();
  const steps = stage.run(0) ?? 0;
  assert.equal(stage.check(), 'new');
  stage.reset();
  const counts = { old: 0, new: 0 };
  await everyStep.each(
    Array.from({ length: steps }, (_, index) => index + 1),
    (killAt) => {
      assert.equal(stage.run(killAt), undefined);
      const state = stage.check();
      counts[state] += 1;
      if (state === 'new') stage.reset();
    },
  );
  t.diagnostic(`${steps} steps: ${counts.old} old, ${counts.new} new`);
});
