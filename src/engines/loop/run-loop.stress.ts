import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { agentWith, done } from '../../../test/support/kernel.ts';
import { checkConversation, leaf, thinker } from '../../../test/support/loop-stage.ts';
import { z } from 'zod';
import { hashOf } from '../../core/json/normalize.ts';
import type { Json } from '../../core/json.ts';
import {
  noUsage,
  type Message,
  type Model,
  type ModelEvent,
  type ToolCall,
  type ModelRequest,
  type StopReason,
} from '../../core/model.ts';
import type { RunResult } from '../../core/run.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { runWithCrashes, type Incarnation, type CrashWork } from '../../testing/crash-harness.ts';
import type { LoopEnd, LoopReason } from './end.ts';

/** Returns a number below `sides`. The same seed gives the same sequence. */
type Dice = (sides: number) => number;

function diceOf(seed: Json): Dice {
  let throws = 0;
  return (sides) => Number.parseInt(hashOf([seed, (throws += 1)]).slice(0, 8), 16) % sides;
}

function pick<Item>(dice: Dice, items: readonly Item[]): Item {
  const item = items[dice(items.length)];
  assert.ok(item !== undefined);
  return item;
}

const names = ['echo', 'echo', 'strict', 'write', 'value', 'fails', 'deep', 'ask-user', 'echoo', '', 'größe'];
const inputs: readonly Json[] = [
  ...['plain', '$$echo-1', '$$value-1', '$$none-9', 'in $$echo-1 and $$value-1.a.b text'],
  ...[
    null,
    7,
    [],
    { input: 'x' },
    { input: '$$echo-1' },
    { input: '$$write-1' },
    { n: 1 },
    { n: '$$value-1.n' },
  ],
  ...[{ n: 'no' }, { question: 'Which?' }, { input: ['$$echo-1', { deep: '$$value-1' }] }, { wrong: true }],
];

/** The answer of a careless model. It depends only on the seed and the request. */
function* answerTo(seed: number, request: ModelRequest): Generator<ModelEvent> {
  const dice = diceOf([seed, request.messages as unknown as Json]);
  const end = (reason: StopReason, more: object = {}): ModelEvent => ({
    type: 'end',
    reason,
    usage: noUsage,
    ...more,
  });
  if (request.system?.startsWith('Summarise') === true) {
    yield { type: 'text', text: dice(4) === 0 ? '' : `Gist ${dice(100)}.` };
    yield end(pick(dice, ['answer', 'answer', 'length', 'refused']));
    return;
  }
  if (dice(8) === 0) {
    yield { type: 'text', text: 'void' };
    const error = { code: 'model.failed', message: 'It broke.' } as const;
    yield { type: 'attempt', failed: { model: 'x/y', error } };
  }
  if (dice(3) > 0) yield { type: 'text', text: pick(dice, ['I think so.', ' ', '{"success": true}', '😀']) };
  const kind = dice(40);
  if (kind === 0)
    yield end('error', { error: { code: pick(dice, ['model.failed', 'model.too-long']), message: 'No.' } });
  else if (kind === 1) yield end(pick(dice, ['refused', 'length']));
  else if (kind <= 4) yield end('answer');
  else {
    const count = 1 + dice(4);
    for (let index = 0; index < count; index += 1)
      yield { type: 'call', call: randomCall(dice, request, index) };
    yield end(pick(dice, ['calls', 'answer']));
  }
}

function randomCall(dice: Dice, request: ModelRequest, index: number): ToolCall {
  const id = hashOf([request.messages as unknown as Json, index]);
  const fault = dice(12) === 0 ? { fault: 'It is not JSON.' } : {};
  return { id, name: pick(dice, names), input: pick(dice, inputs), ...fault };
}

/** The outcome of one seed's work in its last process. */
interface Outcome {
  readonly result: RunResult;
  /** Undefined if the loop had already ended in an earlier process. */
  readonly end: LoopEnd | undefined;
  readonly effects: readonly string[];
}

function workOf(seed: number): CrashWork<Outcome> {
  let effects: string[] = [];
  return {
    open: () => {
      effects = [];
      return createMemoryStore();
    },
    live: (incarnation) => live(seed, incarnation, effects),
  };
}

async function live(seed: number, incarnation: Incarnation, effects: string[]): Promise<Outcome> {
  const ends: LoopEnd[] = [];
  const request = { compactAt: 120, keepRecent: 3, maxSteps: 12 };
  const model: Model = {
    id: 'random/model',
    async *stream(asked) {
      for (const [index, message] of asked.messages.entries()) {
        if (message.role !== 'tool') continue;
        const isKnown = asked.messages
          .slice(0, index)
          .some((before) => callsOf(before).includes(message.callId));
        assert.ok(isKnown, 'a result without its call');
      }
      yield* answerTo(seed, asked);
    },
  };
  const agent = agentWith(
    {
      echo: leaf((input: Json) => done(JSON.stringify(input))),
      strict: leaf(({ n }: { n: number }) => done(`got ${n}`), { input: z.strictObject({ n: z.number() }) }),
      value: leaf(() => done('', { a: { b: 'inner $$echo-1' }, n: 1, none: null })),
      write: leaf(
        async (input: Json, scope) => {
          await incarnation.effect(() => effects.push(scope.run.idempotencyKey));
          return done(`wrote ${JSON.stringify(input)}`);
        },
        { sequential: true },
      ),
      fails: leaf(() => {
        throw new Error('The request was cancelled.');
      }),
      größe: leaf(() => done('XL')),
      deep: thinker(['echo', 'write', 'fails'], { ...request, maxSteps: 3 }),
      think: thinker(
        ['echo', 'strict', 'value', 'write', 'fails', 'größe', 'deep', 'ask-user'],
        request,
        (end) => ends.push(end),
      ),
    },
    { models: { execution: model, summary: model }, store: incarnation.store, limits: { steps: 30 } },
  );
  const known = (await incarnation.store.runs()).find(({ seq }) => seq > 0);
  const begun = { skill: 'think', input: 'The task.' };
  let result = await (
    known === undefined ? agent.run(begun) : agent.runs.resume(known.id, { takeOver: true })
  ).result;
  while (result.status === 'waiting') {
    await agent.runs.answer(result.runId, 'the left one').catch(() => undefined); // an earlier process may have answered
    result = await agent.runs.resume(result.runId).result;
  }
  await agent.shutdown();
  return { result, end: ends.at(-1), effects };
}

function callsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? (message.calls ?? []).map(({ id }) => id) : [];
}

const codes: Readonly<Record<LoopReason, RegExp>> = {
  answered: /^$/,
  interrupted: /^never$/,
  'step-limit': /^limit\.steps$/,
  'error-limit': /^limit\.errors$/,
  loop: /^limit\.loop$/,
  budget: /^never$/,
  failed: /^model\.(?:failed|too-long|refused|length|bad-answer)$/,
};

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 30, full: 1_000 });

test('a loop with a careless model ends with a valid conversation, which is the same after a crash', async () => {
  const counts = new Map<LoopReason, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.nat(1_000),
      fc.constantFrom('before', 'after'),
      async (seed, offset, when) => {
        const whole = await runWithCrashes(workOf(seed), []);
        const { end, result, effects } = whole.outcome;
        assert.ok(end !== undefined, JSON.stringify(result));
        counts.set(end.reason, (counts.get(end.reason) ?? 0) + 1);
        assert.match(end.error?.code ?? '', codes[end.reason]);
        assert.deepEqual([result.ok, result.error?.code], [end.reason === 'answered', end.error?.code]);
        assert.ok(end.steps <= 12);
        checkConversation(end.messages);
        assert.equal(new Set(effects).size, effects.length);

        const at = 1 + (offset % whole.appends);
        const crashed = await runWithCrashes(workOf(seed), [{ at, when }]);
        assert.deepEqual(
          [crashed.outcome.result.status, crashed.outcome.result.text, crashed.outcome.result.error],
          [result.status, result.text, result.error],
        );
        if (crashed.outcome.end !== undefined) assert.deepEqual(crashed.outcome.end, end);
        assert.equal(new Set(crashed.outcome.effects).size, effects.length);
      },
    ),
    loop.runs(),
  );
  assert.ok(counts.size >= 3, JSON.stringify([...counts]));
});
