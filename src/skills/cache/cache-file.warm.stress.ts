import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { apply, fileChanges, type FileChange } from '../../../test/support/file-changes.ts';
import { viewOf } from '../../../test/support/registry-view.ts';
import { tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';

/** Changes, then a start after that many milliseconds: more than 100, and time stamps are no longer in doubt. */
interface Round {
  readonly changes: readonly FileChange[];
  readonly rest: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  changes: fileChanges(12).map((changes) => changes.filter((change) => change.do !== 'pause')),
  rest: fc.constantFrom(0, 0, 120),
});

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 8, full: 600 });

test('whatever changes between two starts, a warm one gives exactly the registry of a cold one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 5 }), async (rounds) => {
      using base = tree();
      const options: AgentOptions = {
        startDir: base.at('work'),
        searchUpwards: false,
        additionalSkillRoots: ['elsewhere'],
      };
      for (const { changes, rest } of rounds) {
        for (const change of changes) await apply(change, base.at('work'));
        await pause(rest);
        const warm = new RecursiveSkilledAgent({ ...options, cache: base.at('cache') });
        assert.deepEqual(viewOf(warm), viewOf(new RecursiveSkilledAgent(options)));
      }
    }),
    loop.runs(),
  );
});
