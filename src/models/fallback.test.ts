import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorCodes, type ErrorData } from '../core/error.ts';
import { collect, type Model, type ModelEvent, type ModelRequest } from '../core/model.ts';
import { modelContract } from '../testing/model-contract.ts';
import { isPassing, mediate, type Patience } from './fallback.ts';
import { createScriptedModel, type Script } from './scripted.ts';

test('without details only a busy provider and a timeout pass', () => {
  const passing = errorCodes.filter((code) => isPassing({ code, message: 'No.' }));
  assert.deepEqual(passing, ['model.busy', 'model.timeout']);
});

test('details that say so decide, whatever the code', () => {
  assert.equal(isPassing({ code: 'model.failed', message: 'Cut.', details: { passing: true } }), true);
  assert.equal(isPassing({ code: 'model.busy', message: 'Quota.', details: { passing: false } }), false);
});

test('details of another kind do not matter', () => {
  for (const details of [null, 'passing', ['passing'], { status: 500 }, 1])
    assert.equal(isPassing({ code: 'model.failed', message: 'No.', details }), false);
});

const busy: ErrorData = { code: 'model.busy', message: 'Too many requests.' };
const denied: ErrorData = { code: 'model.denied', message: 'The key was refused.', hint: 'Set another key.' };
const tooLong: ErrorData = { code: 'model.too-long', message: 'The request is too long.' };

const request: ModelRequest = { messages: [{ role: 'user', text: 'Hello' }] };
const never = new AbortController().signal;

/** Settings that do not wait, and record the pauses. */
function patient(more: Partial<Patience> = {}): Patience & { readonly pauses: number[] } {
  const pauses: number[] = [];
  const sleep = async (milliseconds: number): Promise<void> => void pauses.push(milliseconds);
  return { retries: 2, idleSeconds: 60, random: () => 0.5, sleep, pauses, ...more };
}

function model(id: string, script: Script): Model & { readonly requests: readonly ModelRequest[] } {
  return createScriptedModel(script, { id });
}

async function eventsOf(asked: Model, signal: AbortSignal = never): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of asked.stream(request, signal)) events.push(event);
  return events;
}

const quick: Patience = { retries: 0, idleSeconds: 60 };

modelContract('of a chain of one', {
  answering: (text) => mediate([createScriptedModel(() => ({ text, pieces: 3 }))], quick),
  calling: (calls) => mediate([createScriptedModel(() => ({ calls }))], quick),
  hanging: () => mediate([createScriptedModel(() => ({ hang: true }))], quick),
  failing: () => mediate([createScriptedModel([])], quick),
});

const down = model('down/model', () => ({ text: 'half an ans', error: busy }));
const retrying: Patience = { retries: 1, idleSeconds: 60, sleep: async () => undefined };

modelContract('whose first model is down', {
  answering: (text) => mediate([down, createScriptedModel(() => ({ text, pieces: 3 }))], retrying),
  calling: (calls) => mediate([down, createScriptedModel(() => ({ calls }))], retrying),
  hanging: () => mediate([down, createScriptedModel(() => ({ hang: true }))], retrying),
  failing: () => mediate([down, createScriptedModel([])], retrying),
});

modelContract('that hangs where nobody listens', {
  answering: (text) => mediate([deaf(createScriptedModel(() => ({ text, pieces: 3 })))], quick),
  calling: (calls) => mediate([deaf(createScriptedModel(() => ({ calls })))], quick),
  hanging: () => mediate([{ id: 'deaf/model', stream: () => silence() }], quick),
  failing: () => mediate([{ id: 'wild/model', stream: () => thrown('no wire') }], quick),
});

function deaf(asked: Model): Model {
  return { id: asked.id, stream: (asking) => asked.stream(asking, never) };
}

async function* silence(): AsyncGenerator<ModelEvent> {
  yield await new Promise<never>(() => undefined);
}

function thrown(message: string): never {
  throw new Error(message);
}

describe('a fault that may pass', () => {
  test('is met with another attempt of the same model, each after a longer pause', async () => {
    const patience = patient();
    const first = model('a/one', [{ text: 'half', error: busy }, { error: busy }, 'whole']);
    const reply = await collect(mediate([first], patience).stream(request, never));
    assert.equal(reply.text, 'whole');
    assert.equal(reply.model, undefined);
    assert.deepEqual(reply.failed, [
      { model: 'a/one', error: busy },
      { model: 'a/one', error: busy },
    ]);
    assert.deepEqual(patience.pauses, [500, 1000]);
  });

  test('is waited for as long as the provider says', async () => {
    const patience = patient();
    const error = { ...busy, details: { retryAfterMs: 7000 } };
    await eventsOf(mediate([model('a/one', [{ error }, 'x'])], patience));
    assert.deepEqual(patience.pauses, [7000]);
  });

  test('that is to take over a minute is not waited for', async () => {
    const patience = patient();
    const error = { ...busy, details: { retryAfterMs: 60_001 } };
    const first = model('a/one', [{ error }]);
    const reply = await collect(mediate([first, model('b/two', ['x'])], patience).stream(request, never));
    assert.equal(reply.model, 'b/two');
    assert.deepEqual(patience.pauses, []);
  });

  test('spreads its pauses by chance', async () => {
    const pausesOf = async (random: number): Promise<readonly number[]> => {
      const patience = patient({ random: () => random });
      await eventsOf(mediate([model('a/one', () => ({ error: busy }))], patience));
      return patience.pauses;
    };
    assert.deepEqual(await pausesOf(0), [375, 750]);
    assert.deepEqual(await pausesOf(1), [625, 1250]);
  });

  test('ends the answer at once when it is cancelled in the pause', async () => {
    const controller = new AbortController();
    const mediated = mediate([model('a/one', () => ({ error: busy, usage: { inputTokens: 3 } }))], {
      retries: 2,
      idleSeconds: 60,
      random: () => 1,
    });
    const events: ModelEvent[] = [];
    for await (const event of mediated.stream(request, controller.signal)) {
      events.push(event);
      if (event.type === 'attempt') setImmediate(() => controller.abort());
    }
    assert.deepEqual(
      events.map(({ type }) => type),
      ['attempt', 'end'],
    );
    const end = events.at(-1);
    assert.ok(end?.type === 'end' && end.reason === 'aborted' && end.usage.inputTokens === 3);
  });
});

describe('a fault that stays', () => {
  test('is met with the next model at once', async () => {
    const patience = patient();
    const first = model('a/one', () => ({ text: 'half', error: denied, usage: { inputTokens: 2, cost: 1 } }));
    const second = model('b/two', [{ text: 'whole', usage: { inputTokens: 5, outputTokens: 7 } }]);
    const events = await eventsOf(mediate([first, second], patience));
    assert.deepEqual(events, [
      { type: 'text', text: 'half' },
      { type: 'attempt', failed: { model: 'a/one', error: denied } },
      { type: 'text', text: 'whole' },
      {
        type: 'end',
        reason: 'answer',
        usage: { inputTokens: 7, outputTokens: 8, cost: 1 },
        model: 'b/two',
      },
    ]);
    assert.equal(first.requests.length, 1);
    assert.deepEqual(patience.pauses, []);
  });

  test('of the only model is its own error', async () => {
    const { error, failed } = await collect(
      mediate([model('a/one', () => ({ error: denied }))], patient()).stream(request, never),
    );
    assert.deepEqual(error, denied);
    assert.equal(failed, undefined);
  });

  for (const reason of ['refused', 'length', 'aborted'] as const) {
    test(`asks no one else when it is "${reason}"`, async () => {
      const second = model('b/two', ['no']);
      const reply = await collect(
        mediate([model('a/one', [{ text: 'x', reason }]), second], patient()).stream(request, never),
      );
      assert.equal(reply.reason, reason);
      assert.equal(reply.text, 'x');
      assert.equal(second.requests.length, 0);
    });
  }
});

describe('when every model failed', () => {
  const endWith = async (...errors: readonly ErrorData[]): Promise<ErrorData | undefined> => {
    const chain = errors.map((error, index) => model(`p/m${index + 1}`, () => ({ error })));
    return (await collect(mediate(chain, patient()).stream(request, never))).error;
  };

  test('the error names each of them once, and why', async () => {
    const error = await endWith(denied, busy);
    assert.equal(
      error?.message,
      'None of 2 models answered. p/m1: The key was refused. p/m2: Too many requests.',
    );
    assert.equal(error.hint, 'Set another key.');
  });

  test('its code tells who can do something', async () => {
    assert.equal((await endWith(busy, denied))?.code, 'model.denied');
    assert.equal((await endWith(denied, tooLong))?.code, 'model.too-long');
    assert.equal((await endWith(busy, busy))?.code, 'model.busy');
  });

  test('a chain without models says so', async () => {
    assert.equal((await endWith())?.code, 'model.unavailable');
  });
});

describe('a model without a sign of life', () => {
  test('is cancelled, and the next one asked', async () => {
    let closed = false;
    const mute: Model = {
      id: 'a/mute',
      async *stream(_request, signal) {
        yield { type: 'text', text: 'Well' };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        closed = true;
        yield { type: 'end', reason: 'aborted', usage: { inputTokens: 9, outputTokens: 1 } };
      },
    };
    const mediated = mediate([mute, model('b/two', [{ text: 'x', usage: { inputTokens: 1 } }])], {
      retries: 0,
      idleSeconds: 0.05,
    });
    const reply = await collect(mediated.stream(request, never));
    assert.equal(reply.failed?.[0]?.error.code, 'model.timeout');
    assert.equal(reply.text, 'x');
    assert.equal(reply.usage.inputTokens, 10);
    assert.ok(closed);
  });

  test('is not blamed for a slow reader', async () => {
    const mediated = mediate([model('a/one', [{ text: 'a b c', pieces: 3 }])], {
      retries: 0,
      idleSeconds: 0.02,
    });
    let text = '';
    for await (const event of mediated.stream(request, never)) {
      if (event.type === 'text') text += event.text;
      if (event.type === 'end') assert.equal(event.reason, 'answer');
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    assert.equal(text, 'a b c');
  });

  test('is stopped when its reader leaves', async () => {
    const stopped = Promise.withResolvers<undefined>();
    const endless: Model = {
      id: 'a/endless',
      async *stream(_request, signal) {
        signal.addEventListener('abort', () => stopped.resolve(undefined));
        while (true) yield { type: 'text', text: 'on ' };
      },
    };
    for await (const event of mediate([endless], quick).stream(request, never)) {
      assert.equal(event.type, 'text');
      break;
    }
    await stopped.promise;
  });
});

test('pieces pass as they come', async () => {
  const latch = Promise.withResolvers<undefined>();
  const slow: Model = {
    id: 'a/slow',
    async *stream() {
      yield { type: 'text', text: 'first' };
      await latch.promise;
      yield { type: 'end', reason: 'answer', usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  const events = mediate([slow], quick).stream(request, never)[Symbol.asyncIterator]();
  assert.deepEqual((await events.next()).value, { type: 'text', text: 'first' });
  latch.resolve(undefined);
  await events.next();
});

test('an answer that ends without its end was cut off, which may pass', async () => {
  let asked = 0;
  const cut: Model = {
    id: 'a/cut',
    async *stream() {
      yield { type: 'text', text: 'x' };
      if (++asked === 2) yield { type: 'end', reason: 'answer', usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  const reply = await collect(mediate([cut], patient()).stream(request, never));
  assert.equal(reply.reason, 'answer');
  assert.equal(asked, 2);
});

test('the bill of a model that leaves counts out is not a gap', async () => {
  const odd: Model = {
    id: 'a/odd',
    async *stream() {
      yield { type: 'end', reason: 'answer' } as unknown as ModelEvent;
    },
  };
  const { usage } = await collect(mediate([odd], quick).stream(request, never));
  assert.deepEqual(usage, { inputTokens: 0, outputTokens: 0 });
});
