import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openKillStage } from './install-kill.ts';

test('an installation that is killed leaves the old skills or the new ones', () => {
  using stage = openKillStage();
  const steps = stage.run(0) ?? 0;
  assert.ok(steps > 20, String(steps));
  assert.equal(stage.check(), 'new');
  stage.reset();
  const seen = new Set<string>();
  // From the end, where folders are moved and the lock is written.
  for (const killAt of [10, steps - 12, steps - 8, steps - 6, steps - 4]) {
    assert.equal(stage.run(killAt), undefined);
    const state = stage.check();
    seen.add(state);
    if (state === 'new') stage.reset();
  }
  assert.deepEqual([...seen].sort(), ['new', 'old']);
});
