import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeThrown } from '../../test/support/code-thrown.ts';
import { z } from 'zod';
import { AgentError } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import { collect, type Model, type ModelEvent } from '../core/model.ts';
import type { ModelChoice } from '../core/model/sources.ts';
import { modelContract } from '../testing/model-contract.ts';
import { BareLLMAgent, type LLMAgentOptions } from './llm-agent.ts';
import { createScriptedModel, type Script, type ScriptedModel } from './scripted.ts';

const never = new AbortController().signal;
const request = { messages: [{ role: 'user', text: 'Hello' }] } as const;

/** Creates a model that answers with its own name. */
function open(name: string): Model {
  return createScriptedModel(() => name, { id: name });
}

/** Creates an agent that uses this script for every tier. */
function agentOf(script: Script): { readonly agent: BareLLMAgent; readonly model: ScriptedModel } {
  const model = createScriptedModel(script);
  return { agent: new BareLLMAgent({ models: model }), model };
}

const of = (options: LLMAgentOptions): Model => new BareLLMAgent({ retries: 0, ...options }).model('plan');

modelContract('of an agent', {
  answering: (text) => of({ models: createScriptedModel(() => ({ text, pieces: 3 })) }),
  calling: (calls) => of({ models: { plan: createScriptedModel(() => ({ calls })) } }),
  hanging: () => of({ models: createScriptedModel(() => ({ hang: true })) }),
  failing: () => of({}),
});

modelContract('of an agent that looks for it', {
  answering: (text) => of({ find: async () => createScriptedModel(() => ({ text, pieces: 3 })) }),
  calling: (calls) => of({ find: async () => ({ fast: createScriptedModel(() => ({ calls })) }) }),
  hanging: () => of({ find: () => new Promise(() => undefined) }),
  failing: () => of({ find: async () => undefined }),
});

describe('the model of a name', () => {
  const models = { plan: 'a/planner', fast: ['a/quick', 'b/quick'], writer: 'c/writer' };
  const answerOf = async (options: LLMAgentOptions, name: string): Promise<string> =>
    (await collect(new BareLLMAgent({ open, ...options }).model(name).stream(request, never))).text;

  test('is that of the tier of a role', async () => {
    assert.equal(await answerOf({ models }, 'plan'), 'a/planner');
    assert.equal(await answerOf({ models }, 'execution'), 'a/quick');
    assert.equal(await answerOf({ models }, 'summary'), 'a/quick');
    assert.equal(await answerOf({ models, tierConfig: { execution: 'writer' } }, 'execution'), 'c/writer');
  });

  test('is that of a tier', async () => {
    assert.equal(await answerOf({ models }, 'writer'), 'c/writer');
  });

  test('is that of the name of a model', async () => {
    assert.equal(await answerOf({ models }, 'd/e/f'), 'd/e/f');
    assert.equal(await answerOf({}, 'd/e'), 'd/e');
  });

  test('is a substitute if the tier is not set', async () => {
    assert.equal(await answerOf({ models }, 'code'), 'a/planner');
    assert.equal(await answerOf({ models: { ...models, default: 'x/y' } }, 'code'), 'x/y');
    assert.equal(await answerOf({ models: { code: 'a/c', fast: 'a/f' } }, 'plan'), 'a/f');
    assert.equal(await answerOf({ models: { other: 'a/o', plan: [] } }, 'plan'), 'a/o');
    assert.equal(await answerOf({ models: { plan: '', fast: 'a/f' } }, 'toString'), 'a/f');
  });

  test('is the one that is set for all', async () => {
    for (const choice of ['a/b', ['a/b'], open('a/b'), [open('a/b')]] satisfies ModelChoice[])
      assert.equal(await answerOf({ models: choice }, 'anything'), 'a/b');
  });

  test('is the same each time, and each name is opened once', () => {
    const names: string[] = [];
    const agent = new BareLLMAgent({
      models: { plan: 'a/b', fast: ['a/b', 'c/d'] },
      open: (name) => (names.push(name), open(name)),
    });
    assert.equal(agent.model('plan'), agent.model('plan'));
    agent.model('fast');
    assert.deepEqual(names, ['a/b', 'c/d']);
    assert.equal(agent.model('fast').id, 'a/b');
  });

  test('is the next of the list when the first cannot be opened or fails', async () => {
    const failing = (name: string): Model => {
      if (name === 'a/b') throw new AgentError('model.unavailable', 'There is no a/b.');
      return open(name);
    };
    const agent = new BareLLMAgent({ models: ['a/b', 'c/d'], open: failing });
    const reply = await collect(agent.model('plan').stream(request, never));
    assert.equal(reply.text, 'c/d');
    assert.equal(reply.model, 'c/d');
    assert.equal(reply.failed?.[0]?.error.message, 'There is no a/b.');
  });
});

describe('several names', () => {
  const failing = (name: string): Model => {
    if (name === 'a/b') throw new AgentError('model.unavailable', 'There is no a/b.');
    return open(name);
  };
  const answers = async (options: LLMAgentOptions, name: string): Promise<string> =>
    (await collect(new BareLLMAgent({ open: failing, ...options }).model(name).stream(request, never))).text;

  test('are tried in order: models, tiers and roles', async () => {
    const models = { plan: 'a/b', fast: 'c/d' };
    assert.equal(await answers({ models }, 'a/b, e/f'), 'e/f');
    assert.equal(await answers({ models }, 'plan, fast'), 'c/d');
    assert.equal(await answers({ models }, 'a/b, execution, e/f'), 'c/d');
    assert.equal(await answers({ models: { 'x, y': 'e/f' } }, 'x, y'), 'e/f');
  });

  test('need no configured model if one of them is a model', async () => {
    assert.equal(await answers({}, 'a/b, e/f'), 'e/f');
    assert.equal(await answers({}, 'execution, e/f'), 'e/f');
    assert.equal(await answers({ find: () => 'c/d' }, 'a/b, execution'), 'c/d');
  });
});

describe('an agent without a model', () => {
  const errorOf = async (
    options: LLMAgentOptions,
    name = 'plan',
  ): Promise<{ code: string; hint?: string } | undefined> =>
    (await collect(new BareLLMAgent(options).model(name).stream(request, never))).error;

  test('says what to set', async () => {
    for (const options of [{}, { models: {} }, { models: [] }, { find: () => ({}) }]) {
      const error = await errorOf(options);
      assert.equal(error?.code, 'model.unavailable');
      assert.match(error.hint ?? '', /ANTHROPIC_API_KEY.*skilled models/);
    }
  });

  test('says that a name needs somebody who opens it', async () => {
    const error = await errorOf({ models: 'a/b' });
    assert.match(error?.hint ?? '', /"open"/);
  });

  test('says that it is offline, and opens and looks for nothing', async () => {
    const never = (): never => assert.fail();
    for (const options of [{ models: 'a/b', open: never }, { find: never }, { open: never }]) {
      const agent = new BareLLMAgent({ ...options, offline: true });
      for (const name of ['plan', 'a/b']) {
        const { error } = await collect(agent.model(name).stream(request, new AbortController().signal));
        assert.equal(error?.code, 'model.unavailable');
        assert.match(error.message, /offline/);
      }
      await agent.tiers();
    }
  });
});

describe('what is looked for', () => {
  test('is looked for once, when a model is first asked', async () => {
    let count = 0;
    const agent = new BareLLMAgent({ open, find: async () => (++count, { fast: 'x/fast', plan: 'x/plan' }) });
    const [plan, fast] = [agent.model('plan'), agent.model('execution')];
    assert.equal(count, 0);
    const replies = await Promise.all(
      [plan, fast, plan].map((model) => collect(model.stream(request, never))),
    );
    assert.deepEqual(
      replies.map(({ text, model }) => [text, model]),
      [
        ['x/plan', 'x/plan'],
        ['x/fast', 'x/fast'],
        ['x/plan', 'x/plan'],
      ],
    );
    assert.equal(count, 1);
  });

  test('is looked for again after nothing was found, or the search failed', async () => {
    const found: (() => ModelChoice | undefined)[] = [
      () => undefined,
      () => {
        throw new AgentError('model.unavailable', 'No network.');
      },
      () => 'x/y',
    ];
    const agent = new BareLLMAgent({ open, find: () => found.shift()?.() });
    const ask = (): ReturnType<typeof collect> => collect(agent.model('plan').stream(request, never));
    assert.equal((await ask()).error?.message, 'No model is configured.');
    assert.equal((await ask()).error?.message, 'No network.');
    assert.equal((await ask()).text, 'x/y');
    assert.equal((await ask()).text, 'x/y');
  });

  test('can be told to be none, without asking it anything', async () => {
    const faultOf = async (found: () => ModelChoice | undefined): Promise<string | undefined> =>
      (await new BareLLMAgent({ open, find: found }).model('plan').findFault?.())?.message;
    const lost = (): never => {
      throw new AgentError('model.unavailable', 'No network.');
    };
    assert.deepEqual(
      [await faultOf(() => undefined), await faultOf(lost), await faultOf(() => 'x/y')],
      ['No model is configured.', 'No network.', undefined],
    );
  });
});

test('the tiers are reported with their models and the reasons', async () => {
  const agent = new BareLLMAgent({
    models: { plan: 'a/p', fast: ['a/f', 'b/f'], extra: open('c/x') },
    tierConfig: { summary: 'cheap' },
  });
  assert.deepEqual(await agent.tiers(), [
    { role: 'plan', tier: 'plan', models: ['a/p'], from: 'set' },
    { role: 'execution', tier: 'fast', models: ['a/f', 'b/f'], from: 'set' },
    { role: 'code', tier: 'code', models: ['a/p'], from: 'fallback', instead: 'plan' },
    { role: 'summary', tier: 'cheap', models: ['a/p'], from: 'fallback', instead: 'plan' },
    { tier: 'extra', models: ['c/x'], from: 'set' },
  ]);
  const found = await new BareLLMAgent({ find: () => 'l/m' }).tiers();
  assert.deepEqual(found[0], { role: 'plan', tier: 'plan', models: ['l/m'], from: 'found' });
  assert.deepEqual((await new BareLLMAgent().tiers())[0]?.models, []);
});

describe('complete', () => {
  test('asks with everything that it is given', async () => {
    const { agent, model } = agentOf(['Hi.']);
    const reply = await agent.complete({
      prompt: 'Go on.',
      messages: request.messages,
      system: 'S',
      effort: 'low',
      maxTokens: 9,
      tier: 'code',
    });
    assert.equal(reply.text, 'Hi.');
    assert.deepEqual(model.requests, [
      {
        messages: [...request.messages, { role: 'user', text: 'Go on.' }],
        system: 'S',
        effort: 'low',
        maxTokens: 9,
      },
    ]);
  });

  test('gives calls, refusals and answers that were cut off as they are', async () => {
    const calls = [{ name: 'x', input: {} }];
    const { agent } = agentOf([
      { calls },
      { text: 'No.', reason: 'refused' },
      { text: 'Lo', reason: 'length' },
    ]);
    assert.equal((await agent.complete({ prompt: 'a' })).reason, 'calls');
    assert.equal((await agent.complete({ prompt: 'a' })).reason, 'refused');
    assert.equal((await agent.complete({ prompt: 'a' })).reason, 'length');
  });

  test('throws when there is no answer', async () => {
    const { agent } = agentOf([{ error: { code: 'model.denied', message: 'No.' } }]);
    assert.equal(await codeThrown(agent.complete({ prompt: 'a' })), 'model.denied');
    assert.equal(
      await codeThrown(agent.complete({ prompt: 'a', signal: AbortSignal.abort() })),
      'model.aborted',
    );
    assert.equal(await codeThrown(agent.complete({})), 'usage.bad-input');
  });
});

describe('executePrompt', () => {
  test('gives the text', async () => {
    assert.equal(await agentOf(['```\nx\n```']).agent.executePrompt('a'), '```\nx\n```');
  });

  test('gives the code without the text around it', async () => {
    const { agent } = agentOf([
      'Here:\n```ts\nlet a;\n```\nand\n```\nb\n```',
      'let a;',
      '<think>hm</think>\nlet b;',
    ]);
    assert.equal(await agent.executePrompt('a', { responseShape: 'code' }), 'let a;\n');
    assert.equal(await agent.executePrompt('a', { responseShape: 'code' }), 'let a;');
    assert.equal(await agent.executePrompt('a', { responseShape: 'code' }), 'let b;');
  });

  test('gives the JSON in the answer, and asks again if there is none', async () => {
    const { agent, model } = agentOf(['Sure: {"a": 1}', 'I cannot.', '[1]']);
    assert.deepEqual(await agent.executePrompt('a', { responseShape: 'json' }), { a: 1 });
    assert.deepEqual(await agent.executePrompt('a', { responseShape: 'json' }), [1]);
    assert.equal(model.requests.length, 3);
  });

  test('gives a value of the type of a zod schema, conversions and refinements included', async () => {
    const shape = z.object({
      when: z.iso.date().transform((text) => new Date(text)),
      count: z.number().refine(async (count) => count > 0, 'must be positive'),
    });
    const { agent, model } = agentOf([
      '{"when": "2020-01-02", "count": 0}',
      '{"when": "2020-01-02", "count": 2}',
    ]);
    const { when, count } = await agent.executePrompt('a', { responseShape: shape, tier: 'plan' });
    assert.equal(when.getUTCFullYear() + count, 2022);
    assert.ok(model.requests[1]?.messages.at(-1)?.text.includes('count: must be positive'));
    assert.equal(model.requests[0]?.output?.['type'], 'object');
  });

  test('gives a value that fits a JSON Schema', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', default: 4 } } };
    const value: Json = await agentOf(['{}']).agent.executePrompt('a', { responseShape: schema });
    assert.deepEqual(value, { n: 4 });
  });

  test('throws what the answer is worth', async () => {
    const { agent } = agentOf([{ text: 'half', reason: 'length' }, { reason: 'refused' }, '{}', '{}', '{}']);
    assert.equal(await codeThrown(agent.executePrompt('a')), 'model.length');
    assert.equal(await codeThrown(agent.executePrompt('a', { responseShape: 'code' })), 'model.refused');
    assert.equal(
      await codeThrown(agent.executePrompt('a', { responseShape: z.string() })),
      'model.bad-answer',
    );
  });
});

test('stream gives the pieces and never throws', async () => {
  const { agent } = agentOf([{ text: 'ab', pieces: 2 }]);
  const types: ModelEvent['type'][] = [];
  for await (const { type } of agent.stream(request)) types.push(type);
  assert.deepEqual(types, ['text', 'text', 'end']);
  assert.equal((await collect(agent.stream(request, { tier: 'code' }))).error?.code, 'model.unavailable');
});

test('the ledger has every call of every caller', async () => {
  const agent = new BareLLMAgent({ models: { plan: 'a/p', fast: 'a/f' }, open, now: () => 7 });
  await agent.complete({ prompt: 'a', tier: 'execution' });
  await collect(agent.model('plan').stream(request, never));
  assert.deepEqual(
    agent.ledger.entries.map(({ model, tier, at, attempts, reason }) => ({
      model,
      tier,
      at,
      attempts,
      reason,
    })),
    [
      { model: 'a/f', tier: 'execution', at: 7, attempts: 1, reason: 'answer' },
      { model: 'a/p', tier: 'plan', at: 7, attempts: 1, reason: 'answer' },
    ],
  );
  assert.equal(agent.ledger.total.calls, 2);
});

test('a provider may be told to call tools in text', async () => {
  const scripted = createScriptedModel(() => '```call\n{"tool": "x"}\n```');
  const providers = {
    own: { baseUrl: 'http://127.0.0.1:1', tools: 'text' },
    other: { baseUrl: '', tools: 'native' },
  } as const;
  const agent = new BareLLMAgent({ open: () => scripted, providers });
  const tools = [{ name: 'x', description: '', input: {} }];
  assert.equal((await agent.complete({ prompt: 'a', tools, tier: 'own/m' })).reason, 'calls');
  assert.equal((await agent.complete({ prompt: 'a', tools, tier: 'other/m' })).reason, 'answer');
});

test('a tier with the name of a role is used by that role, unless it is said otherwise', async () => {
  const [one, other] = ['One.', 'Other.'].map((text) => createScriptedModel(() => text));
  const models = { execution: one as Model, summary: other as Model };
  const said = async (llm: BareLLMAgent): Promise<string> =>
    (await llm.complete({ prompt: 'Go.', tier: 'summary' })).text;
  assert.equal(await said(new BareLLMAgent({ models })), 'Other.');
  assert.equal(await said(new BareLLMAgent({ models, tierConfig: { summary: 'execution' } })), 'One.');
});
