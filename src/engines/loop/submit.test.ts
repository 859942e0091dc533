import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done } from '../../../test/support/kernel.ts';
import {
  call,
  checkConversation,
  leaf,
  stage,
  toolTexts,
  userTexts,
} from '../../../test/support/loop-stage.ts';
import type { Json } from '../../core/json.ts';
import type { Script } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { createSubmission } from './submit.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'number' }, note: { type: 'string', default: 'none' } },
  required: ['n'],
} as const;

const good = { calls: [call('submit', { n: 1 })] };
const bad = (n: Json): { readonly calls: readonly ReturnType<typeof call>[] } => ({
  calls: [call('submit', { n })],
});

describe('a loop that must return a value', () => {
  test('ends with a call that fits; defaults are filled in, and the text is the JSON', async () => {
    const { agent, model, ends } = stage([good], {}, { submit: { schema } });
    const { ok, text, value } = await agent.run({ skill: 'think' }).result;
    assert.deepEqual([ok, value, text], [true, { n: 1, note: 'none' }, '{"n":1,"note":"none"}']);
    assert.equal(ends[0]?.reason, 'answered');
    checkConversation(ends[0].messages);
    const [asked] = model.requests;
    assert.match(asked?.system ?? '', /call the tool submit once/);
    assert.deepEqual(
      asked?.tools?.map(({ name, input }) => [name, input]),
      [['submit', schema]],
    );
  });

  test('reports what was said with the call as its text', async () => {
    const { agent } = stage([{ text: 'One it is.', ...good }], {}, { submit: { schema } });
    assert.equal((await agent.run({ skill: 'think' }).result).text, 'One it is.');
  });

  test('takes a value that is not an object as the member of one', async () => {
    const list = { type: 'array', items: { $ref: '#/$defs/Item' }, $defs: { Item: { type: 'string' } } };
    const { agent, model } = stage(
      [{ calls: [call('submit', { value: ['a'] })] }],
      {},
      { submit: { schema: list } },
    );
    assert.deepEqual((await agent.run({ skill: 'think' }).result).value, ['a']);
    assert.deepEqual(model.requests[0]?.tools?.[0]?.input, {
      type: 'object',
      properties: { value: { type: 'array', items: { $ref: '#/$defs/Item' } } },
      required: ['value'],
      additionalProperties: false,
      $defs: { Item: { type: 'string' } },
    });
  });

  test('takes null, and a result by its name', async () => {
    const none = stage(
      [{ calls: [call('submit', { value: null })] }],
      {},
      { submit: { schema: { type: 'null' } } },
    );
    assert.equal((await none.agent.run({ skill: 'think' }).result).value, null);
    const named = stage(
      [{ calls: [call('look')] }, { calls: [call('submit', { value: '$$look-1' })] }],
      { look: leaf(() => done('x'.repeat(50_000))) },
      { submit: { schema: { type: 'string' } } },
    );
    assert.equal((await named.agent.run({ skill: 'think' }).result).value, 'x'.repeat(50_000));
  });

  test('tells the model every fault, twice, and gives up at the third', async () => {
    const { agent, model } = stage([bad('one'), bad('two'), good], {}, { submit: { schema } });
    assert.deepEqual((await agent.run({ skill: 'think' }).result).value, { n: 1, note: 'none' });
    assert.match(
      toolTexts(model.requests[1])[0] ?? '',
      /^Error: Invalid result: n must be a number, not a string\. \(usage\.bad-input\)/,
    );
    const never = stage([bad('one'), bad('two'), bad('three'), good], {}, { submit: { schema } });
    const { error } = await never.agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'model.bad-answer');
    assert.match(error.message, /n must be a number, not a string/);
    assert.equal(never.model.requests.length, 3);
    assert.equal(never.ends[0]?.reason, 'failed');
  });

  test('asks the check, whose value counts and whose words the model reads', async () => {
    const check = (value: Json): Json => {
      const { n } = value as { n: number };
      if (n < 5) throw new Error(`${n} is too small.`);
      return { doubled: n * 2 };
    };
    const { agent, model } = stage([good, bad(7)], {}, { submit: { schema, check } });
    assert.deepEqual((await agent.run({ skill: 'think' }).result).value, { doubled: 14 });
    assert.match(toolTexts(model.requests[1])[0] ?? '', /^Error: 1 is too small\. \(usage\.bad-input\)/);
  });

  test('asks for the call when the model only talks, and has no result without it', async () => {
    const { agent, model } = stage(['It is one.', good], {}, { submit: { schema } });
    assert.equal((await agent.run({ skill: 'think' }).result).ok, true);
    assert.match(userTexts(model.requests[1])[1] ?? '', /calling the tool submit/);
    const never = stage(() => 'It is one.', {}, { submit: { schema }, maxSteps: 3 });
    const { error } = await never.agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'skill.no-result');
    assert.match(error.message, /"think" submitted no result within 3 steps/);
    assert.deepEqual(error.details, { stopped: 'step-limit', said: 'It is one.' });
  });

  test('has no result either when the frame has no step left', async () => {
    const { agent } = stage(() => 'One.', {}, { submit: { schema }, options: { limits: { steps: 2 } } });
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'skill.no-result');
    assert.match(error.message, /in 2 steps/);
  });

  test('takes a result in the last step, in which no other call is made', async () => {
    let looks = 0;
    const look = leaf(() => done(`${(looks += 1)}`));
    const { agent, ends } = stage(
      [{ calls: [call('look'), ...good.calls, call('look', { input: '2' })] }],
      { look },
      { submit: { schema }, maxSteps: 1 },
    );
    assert.deepEqual((await agent.run({ skill: 'think' }).result).value, { n: 1, note: 'none' });
    assert.equal(looks, 0);
    checkConversation(ends[0]?.messages ?? []);
    const late = stage([bad('x')], {}, { submit: { schema }, maxSteps: 1 });
    assert.equal((await late.agent.run({ skill: 'think' }).result).error?.code, 'skill.no-result');
  });

  test('makes the other calls of the step, and takes the first of several results', async () => {
    let looks = 0;
    const { agent, ends } = stage(
      [{ calls: [...good.calls, call('look'), ...bad(2).calls] }],
      { look: leaf(() => done(`${(looks += 1)}`)) },
      { submit: { schema } },
    );
    assert.deepEqual((await agent.run({ skill: 'think' }).result).value, { n: 1, note: 'none' });
    assert.equal(looks, 1);
    checkConversation(ends[0]?.messages ?? []);
  });

  test('is not confused by a skill of the same name, which gets another one', async () => {
    const { agent, model } = stage(
      ({ tools = [] }, turn) =>
        turn === 1 ? { calls: [call(tools[0]?.name ?? '', { input: 'form' })] } : good,
      { submit: leaf((input) => done(`sent ${input}`)) },
      { submit: { schema } },
    );
    assert.deepEqual((await agent.run({ skill: 'think' }).result).value, { n: 1, note: 'none' });
    const names = model.requests[0]?.tools?.map(({ name }) => name) ?? [];
    assert.equal(names.length, 2);
    assert.match(names[0] ?? '', /^submit-[0-9a-f]{8}$/);
    assert.match(toolTexts(model.requests[1])[0] ?? '', /sent form/);
  });

  test('continues when somebody objects to the end', async () => {
    const objections = ['Look twice.'];
    const stop = (): Promise<string | undefined> => Promise.resolve(objections.pop());
    const { agent, model } = stage([good, bad(2)], {}, { submit: { schema }, hooks: { stop } });
    assert.deepEqual((await agent.run({ skill: 'think' }).result).value, { n: 2, note: 'none' });
    assert.equal(userTexts(model.requests[1]).at(-1), 'Look twice.');
  });

  test('refuses a schema that cannot be read before any model is asked', async () => {
    const { agent, model } = stage([good], {}, { submit: { schema: { type: 'nonsense' } } });
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'skill.invalid');
    assert.equal(model.requests.length, 0);
  });
});

describe('the verdict on a value', () => {
  test('is kept with the run, also for a process that cannot check', async () => {
    const store = createMemoryStore();
    const script: Script = ({ messages }) =>
      [bad(1), { calls: [call('ask-user', { question: 'Which?' })] }, bad(9)][
        messages.filter(({ role }) => role === 'assistant').length
      ];
    const check = (value: Json): Json => {
      if ((value as { n: number }).n < 5) throw new Error('Too small.');
      return value;
    };
    const more = { options: { store }, allowed: ['ask-user'] };
    const first = stage(script, {}, { ...more, submit: { schema, check } });
    const { status, runId } = await first.agent.run({ skill: 'think' }).result;
    assert.equal(status, 'waiting');
    await first.agent.runs.answer(runId, 'that one');
    await first.agent.shutdown();
    const second = stage(script, {}, { ...more, submit: { schema } });
    const { value, error } = await second.agent.runs.resume(runId).result;
    assert.deepEqual([value, error], [{ n: 9, note: 'none' }, undefined]);
    assert.match(toolTexts(second.model.requests[0])[0] ?? '', /Too small/);
  });
});

describe('the schema of the tool submit', () => {
  test('continues meaning itself where it meant its own root', () => {
    const tree = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#' } }] };
    const { tool } = createSubmission(createTestScope(), { schema: tree });
    assert.deepEqual(tool.input['properties'], {
      value: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/properties/value' } }] },
    });
  });
});
