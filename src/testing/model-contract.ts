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

/** Makes models for situations; each answers any number of requests alike, whatever it is asked. */
export interface ModelSituations {
  /** Answers with exactly this text. */
  readonly answering: (text: string) => Model | Promise<Model>;
  /** Makes these calls, in this order. */
  readonly calling: (calls: readonly Omit<ToolCall, 'id'>[]) => Model | Promise<Model>;
  /** Never comes to its end; it may say something first. */
  readonly hanging: () => Model | Promise<Model>;
  /** Cannot answer: the provider is down, refuses the key or sends nonsense. */
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

const longest = 60_000; // milliseconds: what ends at all ends long before
const soon = 20; // milliseconds until a stream is under way

/** Registers the checks that every model passes: exactly one end, which comes last, after an abort, and whatever fails. */
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
      const made = callsOf(events);
      assert.deepEqual(
        made.map((call) => ({ name: call.name, input: call.input })),
        calls,
      );
      assert.equal(new Set(made.map((call) => call.id)).size, made.length, 'two calls have the same id');
      assert.ok(
        made.every((call) => typeof call.id === 'string' && call.id !== ''),
        'a call has no id',
      );
      assert.equal(endOf(events).reason, 'calls');
    });

    test('answers several requests at once, each as if it were alone', async () => {
      const model = await make.answering('The same.');
      const all = await Promise.all([0, 1, 2].map(() => read(model)));
      for (const events of all) assert.equal(textOf(events), 'The same.');
    });

    test('ends when it is called off before it begins', async () => {
      for (const model of [await make.answering('Hello.'), await make.hanging(), await make.failing()]) {
        const events = await read(model, AbortSignal.abort());
        assertAborted(events);
        assert.equal(events.length, 1, 'it said something');
      }
    });

    test('ends when it is called off while it hangs', async () => {
      const controller = new AbortController();
      const reading = read(await make.hanging(), controller.signal);
      await pause(soon);
      controller.abort();
      assertAborted(await reading);
    });

    test('ends when it is called off in the middle of its answer', async () => {
      const controller = new AbortController();
      const events = await read(await make.answering('word '.repeat(2000)), controller.signal, () =>
        controller.abort(),
      );
      assertAborted(events);
    });

    test('answers again after it was called off', async () => {
      const model = await make.answering('Hello.');
      const controller = new AbortController();
      await read(model, controller.signal, () => controller.abort());
      assert.equal(textOf(await read(model)), 'Hello.');
    });

    test('does not mind a reader that leaves, or a signal after the end', async () => {
      const model = await make.answering('Hello.');
      const controller = new AbortController();
      for await (const event of model.stream(request, controller.signal)) {
        assert.notEqual(event, undefined);
        break;
      }
      await read(model, controller.signal);
      controller.abort();
      await pause(soon); // a rejection that nobody handles would show here
    });

    test('says why it cannot answer instead of throwing', async () => {
      const { reason, error } = endOf(await read(await make.failing()));
      assert.equal(reason, 'error');
      assert.match(error?.code ?? '', /^model\./);
      assert.ok(error?.message.endsWith('.'), inspect(error));
    });

    test('has an id of provider and name', async () => {
      assert.match((await make.answering('')).id, /^[^\s/]+\/\S+$/);
    });
  });
}

/** All events of one answer, with everything checked that must hold whatever it is. */
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
  assert.ok(await settlesWithin(longest, all), 'it did not come to its end');
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
  return standing(events)
    .map((event) => (event.type === 'text' ? event.text : ''))
    .join('');
}

function callsOf(events: readonly ModelEvent[]): readonly ToolCall[] {
  return standing(events).flatMap((event) => (event.type === 'call' ? [event.call] : []));
}

/** Without what a later attempt made void. */
function standing(events: readonly ModelEvent[]): readonly ModelEvent[] {
  return events.slice(events.findLastIndex(({ type }) => type === 'attempt') + 1);
}

function endOf(events: readonly ModelEvent[]): ModelEvent & { readonly type: 'end' } {
  const end = events.at(-1);
  assert.ok(end?.type === 'end', 'it has no end');
  return end;
}
