import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collect, type Model, type ModelEvent, type ModelRequest } from '../core/model.ts';
import { modelContract } from '../testing/model-contract.ts';
import { createReplayModel, recordModel, type ModelRecord } from './recording.ts';
import { createScriptedModel, type Script } from './scripted.ts';

const request: ModelRequest = { system: 'Be brief.', messages: [{ role: 'user', text: 'Hello' }] };
const never = new AbortController().signal;

/** Records the script's answer to a request, and replays it. */
function replayed(script: Script): Model {
  return {
    id: 'replayed/model',
    async *stream(asked, signal) {
      const records: ModelRecord[] = [];
      const model = recordModel(createScriptedModel(script), (record) => void records.push(record));
      await collect(model.stream(asked, never));
      yield* createReplayModel(records).stream(asked, signal);
    },
  };
}

function recorded(script: Script): Model {
  return recordModel(createScriptedModel(script), () => undefined);
}

modelContract('that is recorded', {
  answering: (text) => recorded(() => ({ text, pieces: 3 })),
  calling: (calls) => recorded(() => ({ calls })),
  hanging: () => recorded(() => ({ hang: true })),
  failing: () => recorded([]),
});

modelContract('that is replayed', {
  answering: (text) => replayed(() => ({ text, pieces: 3 })),
  calling: (calls) => replayed(() => ({ calls })),
  hanging: () => recorded(() => ({ hang: true })), // what hangs is not recorded
  failing: () => replayed([]),
});

async function recordsOf(
  script: Script,
  ...requests: readonly ModelRequest[]
): Promise<readonly ModelRecord[]> {
  const records: ModelRecord[] = [];
  const model = recordModel(createScriptedModel(script), (record) => void records.push(record));
  for (const asked of requests) await collect(model.stream(asked, never));
  return records;
}

async function textOf(model: Model, asked: ModelRequest = request): Promise<string> {
  return (await collect(model.stream(asked, never))).text;
}

describe('a recording', () => {
  test('has what the model saw and each piece of its answer, and survives JSON', async () => {
    const asked = { ...request, key: 'k', joins: true } as const;
    const [record] = await recordsOf(
      [{ text: 'ab', pieces: 2, usage: { inputTokens: 3, outputTokens: 1 } }],
      asked,
    );
    assert.deepEqual(JSON.parse(JSON.stringify(record)), {
      model: 'scripted/model',
      request,
      events: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
        { type: 'end', reason: 'answer', usage: { inputTokens: 3, outputTokens: 1 } },
      ],
    });
  });

  test('has failures, but nothing that was cancelled', async () => {
    const failures = await recordsOf([{ error: { code: 'model.busy', message: 'Busy.' } }], request);
    assert.equal(failures.length, 1);
    const records: ModelRecord[] = [];
    const model = recordModel(createScriptedModel(['x']), (record) => void records.push(record));
    await collect(model.stream(request, AbortSignal.abort()));
    assert.deepEqual(records, []);
  });

  test('that cannot be written fails the answer, which was paid for', async () => {
    const model = recordModel(createScriptedModel([{ text: 'x', usage: { inputTokens: 8 } }]), () => {
      throw new Error('disk full');
    });
    const { reason, error, usage } = await collect(model.stream(request, never));
    assert.equal(reason, 'error');
    assert.equal(error?.message, 'The answer of scripted/model could not be recorded: disk full.');
    assert.equal(usage.inputTokens, 8);
  });

  test('has no secret, not even one that came in pieces, and the answer still has it', async () => {
    const redact = (text: string): string => text.replaceAll('open-sesame', '[redacted]');
    const records: ModelRecord[] = [];
    const scripted = createScriptedModel([{ text: 'say open-sesame twice', pieces: 21 }]);
    const model = recordModel(scripted, (record) => void records.push(record), { redact });
    const asked: ModelRequest = { messages: [{ role: 'user', text: 'Is it open-sesame?' }] };
    assert.equal(await textOf(model, asked), 'say open-sesame twice');
    assert.ok(!JSON.stringify(records).includes('sesame'));
    assert.equal(await textOf(createReplayModel(records, { redact }), asked), 'say [redacted] twice');
  });
});

describe('a replay', () => {
  test('answers each request with what was recorded for it, in whatever order they come', async () => {
    const other: ModelRequest = { messages: [{ role: 'user', text: 'Bye' }] };
    const replay = createReplayModel(await recordsOf(['one', 'two'], request, other));
    assert.equal(await textOf(replay, other), 'two');
    assert.equal(await textOf(replay), 'one');
  });

  test('gives repeated requests their answers in order, and then the last one', async () => {
    const replay = createReplayModel(await recordsOf(['one', 'two'], request, request));
    const texts = [await textOf(replay), await textOf(replay), await textOf(replay)];
    assert.deepEqual(texts, ['one', 'two', 'two']);
  });

  test('gives the pieces as they were', async () => {
    const replay = createReplayModel(await recordsOf([{ text: 'abc', pieces: 3 }], request));
    const events: ModelEvent[] = [];
    for await (const event of replay.stream(request, never)) events.push(event);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['text', 'text', 'text', 'end'],
    );
  });

  test('does not mind the order of members, absent ones, or what models do not see', async () => {
    const replay = createReplayModel(await recordsOf(['one'], request));
    const { system, messages } = request;
    const same = { messages, maxTokens: undefined, system, key: 'x', joins: true };
    assert.equal(await textOf(replay, same as unknown as ModelRequest), 'one');
  });

  test('tells requests apart by everything that a model sees', async () => {
    const tools = [{ name: 'x', description: '', input: {} }];
    const replay = createReplayModel(await recordsOf(['one'], request));
    const others = [{ tools }, { effort: 'high' }, { maxTokens: 5 }, { output: {} }, { system: '' }];
    for (const more of others) {
      const { error } = await collect(replay.stream({ ...request, ...more }, never));
      assert.equal(error?.code, 'model.unavailable');
    }
  });

  test('says which request is missing, and what to do', async () => {
    const replay = createReplayModel([]);
    const { error } = await collect(replay.stream(request, never));
    assert.match(error?.message ?? '', /^No answer is recorded for request [0-9a-f]{16}\b.*"Hello"\)\.$/);
    assert.match(error?.hint ?? '', /recordModel/);
    assert.equal(replay.id, 'replay/empty');
  });

  test('reads the lines of a file, and says which one is wrong', async () => {
    const records = await recordsOf(['one'], request);
    const text = `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
    const replay = createReplayModel(text);
    assert.equal(replay.id, 'scripted/model');
    assert.equal(await textOf(replay), 'one');
    assert.throws(() => createReplayModel(`${text}\n{"model": 1}`), /Line 3 of the recording/);
    assert.throws(() => createReplayModel('nonsense'), { code: 'usage.bad-input' });
  });

  test('of an answer without an end was cut off', async () => {
    const replay = createReplayModel([{ model: 'a/b', request, events: [{ type: 'text', text: 'x' }] }]);
    assert.equal((await collect(replay.stream(request, never))).error?.code, 'model.failed');
  });
});
