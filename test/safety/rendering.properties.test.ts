import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { isAgentError } from '../../src/core/error.ts';
import type { Json } from '../../src/core/json.ts';
import type { Rendering } from '../../src/core/descriptor/skill-text.ts';
import { structureOf } from '../../src/shell/insert-values.ts';
import { leaveHome } from '../support/command.ts';
import { agentWith } from '../support/kernel.ts';
import { openLoops } from '../stress/stress.ts';
import { anyBody, lendSkill, twoInputs } from './random-skills.ts';

leaveHome();

const { size } = openLoops(import.meta);
const runs = size({ small: 200, full: 50_000 });

/** Renders a text. Returns undefined if it is refused, which must be a typed error. */
function render(agent: RecursiveSkilledAgent, args: Json): Rendering | undefined {
  try {
    return agent.render('random', { args });
  } catch (thrown) {
    assert.ok(isAgentError(thrown), String(thrown));
    assert.equal(thrown.code, 'usage.bad-input');
    assert.notEqual(thrown.hint ?? '', '');
    return undefined;
  }
}

test('arguments never change the commands of a skill, nor their structure', async () => {
  await using agent = agentWith({});
  let compared = 0;
  fc.assert(
    fc.property(anyBody, twoInputs, (instructions, [one, other]) => {
      using _lent = lendSkill(agent, instructions);
      const bare = render(agent, null);
      const renderings = [render(agent, one), render(agent, other)];
      const [first, second] = renderings;
      for (const rendering of renderings)
        if (bare !== undefined && rendering !== undefined)
          assert.equal(rendering.commands.length, bare.commands.length);
      if (first === undefined || second === undefined) return;
      assert.equal(first.commands.length, second.commands.length);
      if (!isDeepStrictEqual(positionsOf(first), positionsOf(second))) return; // one of them has fewer arguments
      for (const [index, { command, ran }] of first.commands.entries()) {
        assert.equal(ran, false);
        assert.deepEqual(shapeOf(command), shapeOf(second.commands[index]?.command ?? ''));
        compared++;
      }
    }),
    { numRuns: runs },
  );
  assert.ok(compared > runs / 20, `only ${compared} commands were compared`);
});

/** Returns the positions of insertions. */
function positionsOf({ replacements }: Rendering): readonly number[] {
  return replacements.map(({ at }) => at);
}

/**
 * Returns the structure of a script: its commands, operators and words, without the texts of words. A script
 * that cannot be parsed is one item.
 */
function shapeOf(script: string): readonly string[] {
  try {
    return structureOf(script, () => '');
  } catch {
    return ['unreadable']; // bash would not run it either
  }
}
