import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMemoryStore } from '../../stores/memory.ts';
import {
  defaultRunLimits,
  type NewEvent,
  type RunEvent,
  type RunHandle,
  type Store,
} from '../../core/index.ts';
import { settled, until } from '../../../test/support/deadline.ts';
import { streamEvents } from './event-stream.ts';
import { createRunFeeds, type RunFeeds } from './run-feeds.ts';

const started: NewEvent = {
  frameId: '',
  at: 1,
  type: 'run.started',
  skill: 's',
  input: null,
  session: 'x',
  limits: defaultRunLimits,
};
const ended: NewEvent = {
  frameId: '',
  at: 1,
  type: 'run.ended',
  status: 'done',
  output: { status: 'done', text: '' },
};

function notes(count: number, length = 10): readonly NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    frameId: '',
    at: 1,
    type: 'note.added' as const,
    key: String(index),
    message: 'x'.repeat(length),
  }));
}

async function storeWith(
  events: readonly NewEvent[],
): Promise<{ readonly store: Store; readonly epoch: string }> {
  const store = createMemoryStore();
  const epoch = await store.claim('r', 'me');
  await store.append('r', epoch, events);
  return { store, epoch };
}

/** Reads a stream to its end, or until `most` ids, and returns the ids. */
async function idsOf(response: Response, most = Infinity): Promise<readonly number[]> {
  let text = '';
  const ids = (): readonly number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  const decoder = new TextDecoder();
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (ids().length >= most) break;
  }
  return ids();
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

function open(
  feeds: RunFeeds,
  after: number,
  more: { readonly stallMs?: number; readonly pingMs?: number } = {},
) {
  return streamEvents(feeds, { runId: 'r', after, signal: new AbortController().signal, ...more });
}

describe('a stream of events', () => {
  test('30 followers that disconnect again and again lose and repeat nothing', async () => {
    const { store, epoch } = await storeWith([started, ...notes(300)]);
    const feeds = createRunFeeds(async () => store);
    const followers = range(1, 30).map(async (number) => {
      const seen: number[] = [];
      while (seen.at(-1) !== 1_002) {
        const ids = await idsOf(open(feeds, seen.at(-1) ?? 0), 50 + number * 7);
        seen.push(...ids);
      }
      return seen;
    });
    for (let count = 0; count < 7; count += 1) await store.append('r', epoch, notes(100));
    await store.append('r', epoch, [ended]);
    for (const seen of await settled(Promise.all(followers))) assert.deepEqual(seen, range(1, 1_002));
    await until(() => feeds.followers === 0);
  });

  test('a reader that takes nothing is cut off, and can continue without loss', async () => {
    const { store } = await storeWith([started, ...notes(2_000, 1_000), ended]);
    const feeds = createRunFeeds(async () => store);
    const stream = open(feeds, 0, { stallMs: 20 });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await until(() => feeds.followers === 1);
    await until(() => feeds.followers === 0);
    reader.releaseLock();
    const first = await settled(idsOf(stream));
    assert.ok(first.length < 300, `${first.length} events were kept for a reader that took none`);
    const rest = await settled(idsOf(open(feeds, first.at(-1) ?? 0)));
    assert.deepEqual([...first, ...rest], range(1, 2_002));
  });

  test('pings while nothing happens, and ends when the client goes', async () => {
    const { store } = await storeWith([started]);
    const feeds = createRunFeeds(async () => store);
    const { body } = open(feeds, 1, { pingMs: 5 });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes(': ping'))
      text += Buffer.from((await settled(reader.read())).value ?? []).toString();
    await reader.cancel();
    await until(() => feeds.followers === 0);
  });

  test('text of a model has no id, and says where it belongs, also for followers that come later', async () => {
    const { store } = await storeWith([started]);
    const feeds = createRunFeeds(async () => store);
    const more = Promise.withResolvers<undefined>();
    const delta = (text: string): RunEvent => ({
      v: 1,
      runId: 'r',
      frameId: 'f',
      seq: 0,
      at: 1,
      type: 'model.delta',
      key: 'm',
      attempt: 1,
      text,
    });
    async function* events(): AsyncGenerator<RunEvent> {
      yield { v: 1, runId: 'r', seq: 1, ...started };
      yield delta('Hel');
      yield delta('lo ');
      await more.promise;
      yield delta('world');
      yield { v: 1, runId: 'r', seq: 2, ...ended };
    }
    feeds.attach({ id: 'r', events: events() } as unknown as RunHandle);
    await new Promise((resolve) => setImmediate(resolve));
    const text = open(feeds, 1).text();
    await new Promise((resolve) => setTimeout(resolve, 20));
    more.resolve(undefined);
    const deltas = [...(await settled(text)).matchAll(/^data: (.*delta.*)$/gm)].map(
      ([, one]) => JSON.parse(one ?? '') as { text: string; offset: number },
    );
    assert.deepEqual(
      deltas.map(({ text: piece, offset }) => [offset, piece]),
      [
        [0, 'Hello '],
        [6, 'world'],
      ],
    );
  });
});
