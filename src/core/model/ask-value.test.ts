import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeThrown } from '../../../test/support/code-thrown.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { askValue } from './ask-value.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ModelRequest } from '../model.ts';

const schema: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
};
const request: ModelRequest = { system: 'Be brief.', messages: [{ role: 'user', text: 'Who?' }] };
const never = new AbortController().signal;

describe('a value that a model is asked for', () => {
  test('comes with its reply and its cost', async () => {
    const model = createScriptedModel([{ text: '{"name": "Ada", "age": 36}', usage: { inputTokens: 5 } }]);
    const { value, reply, usage } = await askValue(model, request, schema, never);
    assert.deepEqual(value, { name: 'Ada', age: 36 });
    assert.equal(reply.reason, 'answer');
    assert.equal(usage.inputTokens, 5);
  });

  test('is asked for natively and in words', async () => {
    const model = createScriptedModel(['{"name": "Ada", "age": 36}']);
    await askValue(model, { ...request, tools: [{ name: 'x', description: '', input: {} }] }, schema, never);
    const { output, system = '', tools } = model.requests[0]!;
    assert.deepEqual(output, schema);
    assert.ok(system.startsWith('Be brief.\n\n'));
    assert.ok(system.includes(JSON.stringify(schema)));
    assert.equal(tools, undefined);
  });

  test('is asked for only in words where its schema is not of an object', async () => {
    const model = createScriptedModel(['[1, 2]']);
    const list: JsonObject = { type: 'array', items: { type: 'number' } };
    assert.deepEqual((await askValue(model, request, list, never)).value, [1, 2]);
    assert.equal(model.requests[0]?.output, undefined);
  });

  test('is the first in the answer that fits', async () => {
    const model = createScriptedModel(['As in [1] and {"name": "Bob"}:\n\n{"name": "Ada", "age": 36}']);
    assert.deepEqual((await askValue(model, request, schema, never)).value, { name: 'Ada', age: 36 });
    assert.equal(model.requests.length, 1);
  });

  test('is not taken from what the model thought aloud', async () => {
    const model = createScriptedModel([
      '<think>{"name": "Bob", "age": 1}?</think>\n{"name": "Ada", "age": 36}',
    ]);
    assert.deepEqual((await askValue(model, request, schema, never)).value, { name: 'Ada', age: 36 });
  });

  test('that does not fit is repaired by the model, which is told each fault', async () => {
    const model = createScriptedModel([
      { text: 'I think it is Ada.', usage: { inputTokens: 1 } },
      { text: '{"name": "Ada", "age": -1}', usage: { inputTokens: 2 } },
      { text: '{"name": "Ada", "age": 36}', usage: { inputTokens: 4 } },
    ]);
    const { value, usage } = await askValue(model, request, schema, never);
    assert.deepEqual(value, { name: 'Ada', age: 36 });
    assert.equal(usage.inputTokens, 7);
    const turns = model.requests[2]?.messages ?? [];
    assert.deepEqual(
      turns.map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant', 'user'],
    );
    assert.ok(turns[2]?.text.includes('not valid JSON'));
    assert.match(turns[4]?.text ?? '', /^- age: /m);
  });

  test('that never fits is a bad answer after two repairs', async () => {
    const model = createScriptedModel(() => '{"name": 1}');
    const failure = askValue(model, request, schema, never);
    await assert.rejects(failure, (error: { code: string; message: string; details: Json }) => {
      assert.equal(error.code, 'model.bad-answer');
      assert.match(error.message, /scripted\/model.*\bname\b.*; age\b.*\.$/);
      assert.deepEqual(error.details, { answer: '{"name": 1}' });
      return true;
    });
    assert.equal(model.requests.length, 3);
  });

  test('that is missing leaves no empty turn', async () => {
    const model = createScriptedModel(['', '{"name": "Ada", "age": 36}']);
    await askValue(model, request, schema, never);
    assert.deepEqual(
      model.requests[1]?.messages.map(({ role }) => role),
      ['user', 'user'],
    );
  });

  test('may be checked by a function, whose words the model reads', async () => {
    const model = createScriptedModel(['3', '4']);
    const even = (value: Json): number => {
      if (typeof value === 'number' && value % 2 === 0) return value;
      throw new Error('It must be even.');
    };
    assert.equal((await askValue(model, request, even, never)).value, 4);
    assert.ok(model.requests[1]?.messages.at(-1)?.text.includes('It must be even.'));
  });

  test('under a schema that cannot be read is not even asked for', async () => {
    const model = createScriptedModel(['{}']);
    assert.equal(await codeThrown(askValue(model, request, { type: 'nonsense' }, never)), 'skill.invalid');
    assert.equal(model.requests.length, 0);
  });

  test('is the failure of the model when it fails', async () => {
    const ask = (turn: Parameters<typeof createScriptedModel>[0], signal = never): Promise<string> =>
      codeThrown(askValue(createScriptedModel(turn), request, schema, signal));
    assert.equal(await ask([{ error: { code: 'model.busy', message: 'Busy.' } }]), 'model.busy');
    assert.equal(await ask([{ text: '{"na', reason: 'length' }]), 'model.length');
    assert.equal(await ask([{ text: 'No.', reason: 'refused' }]), 'model.refused');
    assert.equal(await ask(['{}'], AbortSignal.abort()), 'model.aborted');
  });
});
