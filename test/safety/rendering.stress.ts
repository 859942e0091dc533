import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { leaveHome } from '../support/command.ts';
import { openLoops } from '../stress/stress.ts';
import { openEntryPoints } from './entry-points.ts';
import { anyBody, lendSkill, twoInputs } from './random-skills.ts';
import { createStage } from './stage.ts';

leaveHome();

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 5, full: 3_000 });

test('a real shell runs as many commands as the text has, and none that came with what was given', async () => {
  using stage = createStage();
  await using entryPoints = openEntryPoints(stage);
  const { agent } = entryPoints;
  await fc.assert(
    fc.asyncProperty(anyBody, twoInputs, async (instructions, [input]) => {
      using _lent = lendSkill(agent, instructions);
      const [opened] = await entryPoints.open('random', input, ['load']);
      const { result, commands = [] } = opened ?? {};
      const code = result?.error?.code ?? '';
      assert.match(code, /^(?:|usage\.bad-input|skill\.failed|policy\.denied)$/, JSON.stringify(result));
      assert.ok(!existsSync(stage.at('PWNED')), JSON.stringify(commands));
      const written = code === 'usage.bad-input' ? [] : agent.render('random', { args: input }).commands;
      const meant = written.map(({ command }) => command);
      assert.deepEqual(commands, code === '' ? meant : meant.slice(0, commands.length)); // the first failure is the last one
    }),
    loop.runs(),
  );
});
