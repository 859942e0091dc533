import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guideStage } from '../../../test/support/guide-stage.ts';
import { done, textOf } from '../../../test/support/kernel.ts';
import { call, checkConversation, leaf } from '../../../test/support/loop-stage.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { crashPoints } from '../../../test/stress/crash-points.ts';
import type { Json } from '../../core/json.ts';
import type { Message, ModelRequest } from '../../core/model.ts';
import type { RunResult } from '../../core/run.ts';
import type { ScriptedTurn } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { runWithCrashes, type Incarnation, type CrashWork } from '../../testing/crash-harness.ts';

/** The effects of one trial, in all its processes. */
interface World {
  /** The idempotency key of each effect, in order. */
  readonly effects: string[];
}

interface Outcome {
  readonly result: RunResult;
  readonly conversation: readonly Message[] | undefined;
}

/**
 * A model that loads skills, works in the background, submits invalid results and answers too early. Its
 * answer depends only on the conversation.
 */
function play({ messages, tools = [] }: ModelRequest): ScriptedTurn {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const said = messages.map(({ text }) => text).join('\n');
  const guard = call('skill', { name: 'guard' });
  const dig = (args: string): ReturnType<typeof call> => call('skill', { name: 'dig', args });
  const look = (input: string): ReturnType<typeof call> => call('look', { input });
  const turns = [[dig('a'), guard, look('1')], [guard, look('2'), dig('b')], [call('submit', { n: 1 })]];
  const names = tools.map(({ name }) => name);
  assert.equal(names.includes('gone'), turn === 0, names.join());
  if (turn === 3) return 'Is it all there?';
  const n = said.includes('dug a') && said.includes('dug b') ? 7 : 3;
  const calls = turns[turn] ?? [call('submit', { n })];
  return { calls: calls.map((each, index) => ({ ...each, id: `t${turn}-${index}` })) };
}

async function live(incarnation: Incarnation, world: World): Promise<Outcome> {
  const doing = (key: string): Promise<unknown> => incarnation.effect(() => world.effects.push(key));
  using stage = guideStage(
    play,
    {
      guard: {
        card: { disallowedTools: ['Gone'] },
        hooks: ['before', 'after', 'stop'],
        hook: async (event, scope) => {
          await doing(scope.run.idempotencyKey);
          const { moment, tool } = event as { moment: string; tool?: string };
          return done('', moment === 'after' && tool === 'look' ? { objection: 'Noted.' } : {});
        },
      },
      dig: {
        card: { forks: 'background' },
        run: async (input, scope) => {
          await doing(scope.run.idempotencyKey);
          return done(`dug ${textOf(input)}`);
        },
      },
    },
    {
      look: leaf(async (input, scope) => {
        await doing(scope.run.idempotencyKey);
        return done(`saw ${input}`);
      }),
      gone: leaf(() => done(), { permission: 'Gone' }),
    },
    {
      submit: {
        schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        check: (value: Json) => {
          if ((value as { n: number }).n < 5) throw new Error('Too small.');
          return value;
        },
      },
      options: { store: incarnation.store },
    },
  );
  const known = (await incarnation.store.runs()).find(({ seq }) => seq > 0);
  const { result } =
    known === undefined
      ? stage.agent.run({ skill: 'think', input: 'Go.' })
      : stage.agent.runs.resume(known.id, { takeOver: true });
  const ended = await result;
  await stage.agent.shutdown();
  return { result: ended, conversation: stage.ends[0]?.messages };
}

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 20, full: Infinity });

test('a loop with loaded skills, hooks, background work and a result continues after a crash as if there had been none', async () => {
  let world: World = { effects: [] };
  const work: CrashWork<Outcome> = {
    open: () => {
      world = { effects: [] };
      return createMemoryStore();
    },
    live: (incarnation) => live(incarnation, world),
  };
  const whole = await runWithCrashes(work, []);
  const effects = new Set(world.effects).size;
  assert.deepEqual([whole.outcome.result.value, effects], [{ n: 7 }, 13]);
  await loop.each(crashPoints(whole.appends), async ({ at, when }) => {
    const { outcome } = await runWithCrashes(work, [{ at, when }]);
    const where = JSON.stringify([at, when, outcome.result.error]);
    assert.deepEqual(outcome.result.value, { n: 7 }, where);
    if (outcome.conversation !== undefined) checkConversation(outcome.conversation, where);
    assert.equal(new Set(world.effects).size, effects, where);
    assert.ok(world.effects.length <= effects + 3, where); // three may be in progress
  });
});
