import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, ofType, settled, until } from '../../../test/support/kernel.ts';
import { thinker } from '../../../test/support/loop-stage.ts';
import type { RunEvent } from '../../core/event.ts';
import { noUsage, type Model, type ModelEvent } from '../../core/model.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { runWithCrashes } from '../../testing/crash-harness.ts';

const failed = { model: 'x/y', error: { code: 'model.failed', message: 'It broke.' } } as const;
const end: ModelEvent = { type: 'end', reason: 'answer', usage: noUsage };

/** Creates a model that streams the given pieces one after another. */
function modelOf(pieces: (signal: AbortSignal) => AsyncIterable<ModelEvent>): Model {
  return { id: 'x/live', stream: (_request, signal) => pieces(signal) };
}

function say(text: string): ModelEvent {
  return { type: 'text', text };
}

/** Returns the text that a listener shows if it drops the pieces of earlier attempts. */
function shown(events: readonly RunEvent[]): string {
  const deltas = ofType(events, 'model.delta');
  const last = deltas.at(-1)?.attempt;
  return deltas
    .filter(({ attempt }) => attempt === last)
    .map(({ text }) => text)
    .join('');
}

describe('the pieces of an answer', () => {
  test('are heard from the first word on, before the model has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const received: RunEvent[] = [];
    const model = modelOf(async function* () {
      yield say('One ');
      await promise;
      yield say('two.');
      yield end;
    });
    await using agent = agentWith({ think: thinker([]) }, { models: { execution: model } });
    const handle = agent.run({ skill: 'think' });
    const listening = (async () => {
      for await (const event of handle.events) {
        received.push(event);
        if (event.type === 'model.delta') resolve(undefined); // the model ends only because the abort reached it
      }
    })();
    assert.equal((await settled(handle.result)).text, 'One two.');
    await listening;
    assert.equal(shown(received), 'One two.');
    const [first] = ofType(received, 'model.delta');
    assert.equal(first?.text, 'One ');
    assert.ok(
      received.findIndex(({ type }) => type === 'model.delta') <
        received.findIndex(({ type }) => type === 'model.ended'),
    );
  });

  test('of a model that begins again have another attempt, and what it held back is gone', async () => {
    const received: RunEvent[] = [];
    const model = modelOf(async function* () {
      yield say('Wrong begin');
      yield { type: 'attempt', failed };
      yield say('Also wro');
      yield { type: 'attempt', failed };
      yield say('Right at ');
      yield say('last.');
      yield end;
    });
    await using agent = agentWith({ think: thinker([]) }, { models: { execution: model } });
    const handle = agent.run({ skill: 'think' });
    for await (const event of handle.events) received.push(event);
    assert.equal((await handle.result).text, 'Right at last.');
    assert.equal(shown(received), 'Right at last.');
    const attempts = ofType(received, 'model.delta').map(({ attempt }) => attempt);
    assert.deepEqual(attempts, attempts.toSorted());
    assert.equal(attempts.at(-1), 3);
    assert.equal(ofType(received, 'model.ended')[0]?.reply.failed?.length, 2);
  });

  test('of a request that a crash cut off have another attempt in the next process', async () => {
    const received: RunEvent[][] = [];
    const result = await runWithCrashes(
      {
        open: () => createMemoryStore(),
        live: async ({ number, store }) => {
          const own: RunEvent[] = [];
          received.push(own);
          const model = modelOf(async function* () {
            yield say(`Life ${number} `);
            if (number === 1) {
              await until(() => own.some(({ type }) => type === 'model.delta'));
              store.kill();
              await new Promise(() => undefined);
            }
            yield say('ends.');
            yield end;
          });
          const agent = agentWith({ think: thinker([]) }, { models: { execution: model }, store });
          const known = (await store.runs()).find(({ seq }) => seq > 0);
          const handle =
            known === undefined
              ? agent.run({ skill: 'think' })
              : agent.runs.resume(known.id, { takeOver: true });
          for await (const event of handle.events) own.push(event);
          const { text } = await handle.result;
          await agent.shutdown();
          return text;
        },
      },
      [{ at: 1_000, when: 'before' }],
    );
    assert.equal(result.outcome, 'Life 2 ends.');
    assert.deepEqual(
      received.map((events) => [shown(events), ofType(events, 'model.delta')[0]?.attempt]),
      [
        ['Life 1 ', 1],
        ['Life 2 ends.', 2],
      ],
    );
  });
});
