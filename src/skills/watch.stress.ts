import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { count } from '../../test/stress/count.ts';
import { apply, fileChanges } from '../../test/support/file-changes.ts';
import { eventually, viewOf } from '../../test/support/registry-view.ts';
import { tree } from '../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';

const runs = (small: number, full: number): { numRuns: number } => ({ numRuns: count({ small, full }) });

test('after random file events the registry equals that of a fresh agent', async () => {
  await fc.assert(
    fc.asyncProperty(fileChanges(12), fileChanges(25), async (earlier, changes) => {
      using base = tree();
      for (const change of earlier) await apply(change, base.path);
      const options = { startDir: base.path, searchUpwards: false, additionalSkillRoots: [base.at('elsewhere')] };
      const agent = new RecursiveSkilledAgent({ ...options, watch: true });
      await agent.ready();
      for (const change of changes) await apply(change, base.path);
      await eventually(() => assert.deepEqual(viewOf(agent), viewOf(new RecursiveSkilledAgent(options))));
      await agent.shutdown();
    }),
    runs(15, 500),
  );
});
