import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compileCache } from '../../test/support/compile-cache.ts';
import type { Model, ModelEvent } from '../core/model.ts';
import { createScriptedModel } from '../models/scripted.ts';
import { modelContract, type ModelSituations } from './model-contract.ts';

const sound: ModelSituations = {
  answering: (text) => createScriptedModel(() => ({ text, pieces: 3 })),
  calling: (calls) => createScriptedModel(() => ({ calls })),
  hanging: () => createScriptedModel(() => ({ hang: true })),
  failing: () => createScriptedModel([]),
};

/** Returns the correct models with changed events. */
function changed(change: (events: AsyncIterable<ModelEvent>) => AsyncIterable<ModelEvent>): ModelSituations {
  const wrap = async (making: Model | Promise<Model>): Promise<Model> => {
    const model = await making;
    return { id: model.id, stream: (request, signal) => change(model.stream(request, signal)) };
  };
  return {
    answering: (text) => wrap(sound.answering(text)),
    calling: (calls) => wrap(sound.calling(calls)),
    hanging: () => wrap(sound.hanging()),
    failing: () => wrap(sound.failing()),
  };
}

/** Replaces each event with those that the function returns. */
function replaced(replace: (event: ModelEvent) => readonly ModelEvent[]): ModelSituations {
  return changed(async function* (events) {
    for await (const event of events) yield* replace(event);
  });
}

const call = 'makes calls with unique ids, in their order';
const answer = "answers 'Hello.' in pieces that join to the whole";
const before = 'ends when aborted before it begins';
const middle = 'ends when aborted in the middle of its answer';
const failure = 'reports why it cannot answer instead of throwing';

// Each breaks one promise, and the contract must fail for it.
const broken: Readonly<Record<string, readonly [ModelSituations, string]>> = {
  endless: [replaced((event) => (event.type === 'end' ? [] : [event])), answer],
  'ending twice': [replaced((event) => (event.type === 'end' ? [event, event] : [event])), answer],
  'talking on': [
    replaced((event) => (event.type === 'end' ? [event, { type: 'text', text: '' }] : [event])),
    answer,
  ],
  'dropping pieces': [
    replaced((event) => (event.type === 'text' && event.text.startsWith('H') ? [] : [event])),
    answer,
  ],
  'repeating ids': [
    replaced((event) =>
      event.type === 'call' ? [{ ...event, call: { ...event.call, id: 'same' } }] : [event],
    ),
    call,
  ],
  'losing calls': [replaced((event) => (event.type === 'call' ? [] : [event])), call],
  throwing: [
    replaced((event) => {
      if (event.type === 'end' && event.reason === 'error') throw new Error('no');
      return [event];
    }),
    failure,
  ],
  'silent about errors': [
    replaced((event) =>
      event.type === 'end' ? [{ type: 'end', reason: event.reason, usage: event.usage }] : [event],
    ),
    failure,
  ],
  'odd usage': [
    replaced((event) =>
      event.type === 'end' ? [{ ...event, usage: { inputTokens: Number.NaN, outputTokens: 0 } }] : [event],
    ),
    answer,
  ],
  'deaf to signals': [
    { ...sound, answering: (text) => deaf(createScriptedModel(() => ({ text, pieces: 3 }))) },
    middle,
  ],
  'throwing when aborted': [
    {
      ...sound,
      hanging: () => ({
        id: 'test/throwing',
        async *stream(_, signal): AsyncIterable<ModelEvent> {
          yield { type: 'text', text: '' };
          signal.throwIfAborted();
        },
      }),
    },
    before,
  ],
};

function deaf(model: Model): Model {
  return { id: model.id, stream: (request) => model.stream(request, new AbortController().signal) };
}

// This file runs itself as another process, because the test runner cannot be nested.
if (process.argv.includes('broken')) {
  modelContract('sound', sound);
  for (const [name, [situations]] of Object.entries(broken)) modelContract(name, situations);
} else {
  test('the model contract passes a sound model and fails each broken promise', () => {
    const failures = failuresOf();
    assert.deepEqual(failures.get('sound'), []);
    for (const [name, [, failure]] of Object.entries(broken))
      assert.ok(
        failures.get(name)?.includes(failure),
        `${name}: ${failures.get(name)?.join('; ') ?? 'not run'}`,
      );
  });
}

/** Returns the failed checks, keyed by model. */
function failuresOf(): ReadonlyMap<string, readonly string[]> {
  const { stdout } = spawnSync(process.execPath, ['--test-reporter=tap', import.meta.filename, 'broken'], {
    env: compileCache(),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const failures = new Map<string, string[]>();
  let suite: string[] = [];
  for (const line of stdout.split('\n')) {
    const started = /^# Subtest: the model (.*) keeps the contract$/.exec(line)?.[1];
    if (started !== undefined) failures.set(started, (suite = []));
    const failed = /^ {4}not ok \d+ - (.*)$/.exec(line)?.[1];
    if (failed !== undefined) suite.push(failed);
  }
  return failures;
}
