import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import {
  freeze,
  pause,
  settlesWithin,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type ToolCall,
} from '../core/index.ts';

/** Functions that create models for testing. Each model answers every request in the same way. */
export interface ModelSituations {
  /** Creates a model that answers with this text. */
  readonly answering: (text: string) => Model | Promise<Model>;
  /** Creates a model that makes these calls in this order. */
  readonly calling: (calls: readonly Omit<ToolCall, 'id'>[]) => Model | Promise<Model>;
  /** Creates a model whose answer never ends. The model may send the beginning of an answer. */
  readonly hanging: () => Model | Promise<Model>;
  /**
   * Creates a model that cannot answer, because its provider is unavailable, rejects the key or sends invalid
   * data.
   */
  readonly failing: () => Model | Promise<Model>;
}

const texts = [
  'Hello.',
  'Two\nlines, "quotes", a \\ and\ttabs.\n',
  '😀 天气 übung \u2028 e\u0301',
  'data: {"type": "done"}\n\n[DONE]\n',
  'word '.repeat(2000),
];

const calls = [
  { name: 'read', input: { path: 'a/b.md', lines: [1, 2], deep: { yes: true, none: null } } },
  { name: 'read', input: { path: 'a/b.md', lines: [1, 2], deep: { yes: true, none: null } } },
  { name: 'note', input: { text: '😀 "quoted"\n' } },
  { name: 'empty', input: {} },
];

const request: ModelRequest = freeze({
  system: 'You are tested.',
  messages: [
    { role: 'user', text: 'Read it.' },
    { role: 'assistant', text: '', calls: [{ id: 'earlier', name: 'read', input: { path: 'a' } }] },
    { role: 'tool', callId: 'earlier', name: 'read', text: 'The text.' },
  ],
  tools: ['read', 'note', 'empty'].map((name) => ({
    name,
    description: 'A tool.',
    input: { type: 'object' },
  })),
});

const longest = 60_000; // The time limit for an answer, in milliseconds.
const soon = 20; // The time in which a stream should have started, in milliseconds.

/**
 * Registers the tests that every model must pass. In particular, each answer must end with its only `end`
 * event, even after an abort or a failure.
 */
export function modelContract(name: string, make: ModelSituations): void {
  describe(`the model ${name} keeps the contract`, () => {
    for (const text of texts) {
      test(`answers ${inspect(text.slice(0, 30))} in pieces that join to the whole`, async () => {
        const events = await read(await make.answering(text));
        assert.equal(textOf(events), text);
        assert.deepEqual(callsOf(events), []);
        assert.equal(endOf(events).reason, 'answer');
        assert.equal(endOf(events).error, undefined);
      });
    }

    test('makes calls with unique ids, in their order', async () => {
      const events = await read(await make.calling(calls));
      const received = callsOf(events);
      assert.deepEqual(
        received.map((call) => ({ name: call.name, input: call.input })),
        calls,
      );
      assert.equal(
        new Set(received.map((call) => call.id)).size,
        received.length,
        'two calls have the same id',
      );
      assert.ok(
        received.every((call) => typeof call.id === 'string' && call.id !== ''),
        'a call has no id',
      );
      assert.equal(endOf(events).reason, 'calls');
    });

    test('answers several requests at once, independently', async () => {
      const model = await make.answering('The same.');
      const all = await Promise.all([0, 1, 2].map(() => read(model)));
      for (const events of all) assert.equal(textOf(events), 'The same.');
    });

    test('ends when aborted before it begins', async () => {
      for (const model of [await make.answering('Hello.'), await make.hanging(), await make.failing()]) {
        const events = await read(model, AbortSignal.abort());
        assertAborted(events);
        assert.equal(events.length, 1, 'it sent something');
      }
    });

    test('ends when aborted while it hangs', async () => {
      const controller = new AbortController();
      const reading = read(await make.hanging(), controller.signal);
      await pause(soon);
      controller.abort();
      assertAborted(await reading);
    });

    test('ends when aborted in the middle of its answer', async () => {
      const controller = new AbortController();
      const events = await read(await make.answering('word '.repeat(2000)), controller.signal, () =>
        controller.abort(),
      );
      assertAborted(events);
    });

    test('answers again after an abort', async () => {
      const model = await make.answering('Hello.');
      const controller = new AbortController();
      await read(model, controller.signal, () => controller.abort());
      assert.equal(textOf(await read(model)), 'Hello.');
    });

    test('tolerates a reader that stops, and an abort after the end', async () => {
      const model = await make.answering('Hello.');
      const controller = new AbortController();
      for await (const event of model.stream(request, controller.signal)) {
        assert.notEqual(event, undefined);
        break;
      }
      await read(model, controller.signal);
      controller.abort();
      await pause(soon); // An unhandled rejection during this pause would fail the test.
    });

    test('reports why it cannot answer instead of throwing', async () => {
      const { reason, error } = endOf(await read(await make.failing()));
      assert.equal(reason, 'error');
      assert.match(error?.code ?? '', /^model\./);
      assert.ok(error?.message.endsWith('.'), inspect(error));
    });

    test('has an id with provider and name', async () => {
      assert.match((await make.answering('')).id, /^[^\s/]+\/\S+$/);
    });
  });
}

/** Returns the events of an answer after checking the rules that apply to every answer. */
async function read(
  model: Model,
  signal: AbortSignal = new AbortController().signal,
  onPiece: () => void = () => undefined,
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  const all = (async () => {
    for await (const event of model.stream(request, signal)) {
      events.push(event);
      if (event.type !== 'end') onPiece();
    }
  })();
  assert.ok(await settlesWithin(longest, all), 'it did not end');
  checkEvents(events);
  return events;
}

function checkEvents(events: readonly ModelEvent[]): void {
  assert.deepEqual(JSON.parse(JSON.stringify(events)), events, 'the events do not survive JSON');
  const ends = events.filter((event) => event.type === 'end');
  assert.equal(ends.length, 1, `it ended ${ends.length} times`);
  assert.equal(events.at(-1)?.type, 'end', 'something came after the end');
  const { usage } = endOf(events);
  for (const count of [usage.inputTokens, usage.outputTokens])
    assert.ok(Number.isInteger(count) && count >= 0, inspect(usage));
  assert.ok(usage.cost === undefined || usage.cost >= 0, inspect(usage));
}

function assertAborted(events: readonly ModelEvent[]): void {
  const { reason, error } = endOf(events);
  assert.equal(reason, 'aborted');
  assert.equal(error?.code, 'model.aborted');
}

function textOf(events: readonly ModelEvent[]): string {
  return lastAttempt(events)
    .map((event) => (event.type === 'text' ? event.text : ''))
    .join('');
}

function callsOf(events: readonly ModelEvent[]): readonly ToolCall[] {
  return lastAttempt(events).flatMap((event) => (event.type === 'call' ? [event.call] : []));
}

/** Returns the events of the last attempt to get an answer. */
function lastAttempt(events: readonly ModelEvent[]): readonly ModelEvent[] {
  return events.slice(events.findLastIndex(({ type }) => type === 'attempt') + 1);
}

function endOf(events: readonly ModelEvent[]): ModelEvent & { readonly type: 'end' } {
  const end = events.at(-1);
  assert.ok(end?.type === 'end', 'it has no end');
  return end;
}
