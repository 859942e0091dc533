import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jsonSchema, tool } from 'ai';
import { z } from 'zod';
import { z as old } from 'zod/v3';
import { createAgent } from '../config/create-agent.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';
import { createScriptedModel } from '../testing/index.ts';
import type { AgentTool } from './tools.ts';

const quiet = { embeddings: false, offline: true } as const;

/** Calls a tool as a program does, and returns its value. */
async function valueOf(agent: RecursiveSkilledAgent, skill: string, input: object): Promise<unknown> {
  const { ok, value, text, error } = await agent.run({ skill, input: input as never }).result;
  return ok ? (value ?? text) : error?.code;
}

describe('the tools of a program', () => {
  test('are functions whose input has the type of its schema', async () => {
    await using agent = createAgent({
      ...quiet,
      tools: {
        addNumbers: {
          description: 'Adds two numbers.',
          input: z.object({ a: z.number(), b: z.number().default(1) }),
          run: ({ a, b }) => a + b,
        },
        shout: {
          description: 'Shouts.',
          input: z.object({ text: z.string() }),
          run: ({ text }) => text.toUpperCase(),
        },
      },
    });
    assert.equal(await valueOf(agent, 'add-numbers', { a: 1 }), 2);
    assert.equal(await valueOf(agent, 'shout', { text: 'hi' }), 'HI');
    assert.equal(await valueOf(agent, 'add-numbers', { a: 'x' }), 'usage.bad-input');
  });

  test('can be tools of the AI SDK, with any schema that it accepts', async () => {
    const weather = tool({
      description: 'Gets the weather.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }, { toolCallId }) => ({ city, isCalled: toolCallId !== '' }),
    });
    const schema = jsonSchema<{ n: number }>(
      { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      {
        validate: (value) => {
          const { n } = value as { n: number };
          return n % 2 === 0
            ? { success: true, value: { n: n / 2 } }
            : { success: false, error: new Error('odd') };
        },
      },
    );
    const half = tool({ inputSchema: schema, execute: ({ n }) => n });
    const counts = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield 1;
        yield 2;
      },
    });
    const said = tool({
      inputSchema: z.object({}),
      execute: () => ({ degrees: 21 }),
      toModelOutput: ({ output: { degrees } }) => ({ type: 'text', value: `${degrees} degrees` }),
    });
    await using agent = createAgent({ ...quiet, tools: { weather, half, counts, said } });
    assert.deepEqual(await valueOf(agent, 'weather', { city: 'Bergen' }), { city: 'Bergen', isCalled: true });
    assert.equal(await valueOf(agent, 'half', { n: 4 }), 2);
    assert.equal(await valueOf(agent, 'half', { n: 3 }), 'usage.bad-input');
    assert.equal(await valueOf(agent, 'half', { n: 'x' }), 'usage.bad-input');
    assert.equal(await valueOf(agent, 'counts', {}), 2);
    const { text, value } = await agent.run({ skill: 'said', input: {} }).result;
    assert.deepEqual([text, value], ['21 degrees', { degrees: 21 }]);
  });

  test('ask for approval if they say so, whatever the rules allow', async () => {
    const sent: string[] = [];
    const pay = {
      description: 'Pays an amount.',
      input: z.object({ amount: z.number() }),
      needsApproval: ({ amount }: { amount: number }) => amount > 100,
      run: ({ amount }: { amount: number }) => void sent.push(String(amount)),
    };
    const refund = tool({
      inputSchema: z.object({}),
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- tools for older releases set it
      needsApproval: true,
      execute: () => sent.push('refund'),
    });
    const broken = {
      ...pay,
      needsApproval: (): boolean => {
        throw new Error('no luck');
      },
    };
    await using agent = createAgent({
      ...quiet,
      permissions: { allow: ['Skill(pay)', 'Skill(refund)', 'Skill(broken)'] },
      tools: { pay, refund, broken },
    });
    assert.equal((await agent.run({ skill: 'pay', input: { amount: 5 } }).result).status, 'done');
    for (const [skill, input] of [
      ['pay', { amount: 500 }],
      ['refund', {}],
      ['broken', { amount: 5 }],
    ] as const)
      assert.equal((await agent.run({ skill, input }).result).status, 'waiting', skill);
    assert.deepEqual(sent, ['5']);
    const asked = (await agent.runs.pending()).find(({ asks }) => asks.skill === 'pay');
    assert.ok(asked !== undefined);
    await agent.runs.approve(asked.runId, asked.id, { allow: 'once' });
    assert.equal((await agent.runs.resume(asked.runId).result).status, 'done');
    assert.deepEqual(sent, ['5', '500']);
  });

  test('may decide about approval asynchronously', async () => {
    const input = z.object({ amount: z.number() });
    const asks = async ({ amount }: { amount: number }): Promise<boolean> => Promise.resolve(amount > 100);
    await using agent = createAgent({
      ...quiet,
      tools: {
        pay: { description: 'Pays.', input, needsApproval: asks, run: () => 'Paid.' },
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- tools for older releases set it
        refund: tool({ inputSchema: input, needsApproval: asks, execute: () => 'Refunded.' }),
      },
    });
    for (const skill of ['pay', 'refund']) {
      assert.equal((await agent.run({ skill, input: { amount: 5 } }).result).status, 'done');
      assert.equal((await agent.run({ skill, input: { amount: 500 } }).result).status, 'waiting');
    }
  });

  test('whose check for approval is a promise that fails do not end the process', async () => {
    const slow = {
      description: 'Pays.',
      input: z.object({}),
      needsApproval: (() => Promise.reject(new Error('no luck'))) as never,
      run: () => 'Paid.',
    };
    await using agent = createAgent({ ...quiet, tools: { slow } });
    assert.equal((await agent.run({ skill: 'slow', input: {} }).result).status, 'waiting');
  });

  test('decide about approval by the input that the function gets, after conversions', async () => {
    const schema = jsonSchema<{ amount: number }>(
      { type: 'object' },
      {
        validate: (value) => {
          const { text } = value as { text?: string };
          return text === undefined
            ? { success: false, error: new Error('no text') }
            : { success: true, value: { amount: Number(text.replace(',', '')) } };
        },
      },
    );
    const pay = {
      inputSchema: schema,
      needsApproval: ({ amount }: { amount: number }) => amount > 100,
      execute: ({ amount }: { amount: number }) => amount,
    };
    await using agent = createAgent({ ...quiet, tools: { pay } });
    assert.equal(await valueOf(agent, 'pay', { text: '5' }), 5);
    assert.equal(await valueOf(agent, 'pay', {}), 'usage.bad-input');
    assert.equal((await agent.run({ skill: 'pay', input: { text: '5,000' } }).result).status, 'waiting');
  });

  test('with a schema that must be awaited fail with a hint, and not as a bug', async () => {
    const input = z.object({ to: z.string().refine(() => Promise.resolve(true)) });
    await using agent = createAgent({
      ...quiet,
      tools: { slow: { description: 'S.', input, run: () => 1 } },
    });
    assert.equal(await valueOf(agent, 'slow', { to: 'ann' }), 'skill.invalid');
  });

  test('can be passed to the constructor, with the type of their input', async () => {
    const shout = {
      description: 'Shouts.',
      input: z.object({ text: z.string() }),
      run: ({ text }: { readonly text: string }) => text.toUpperCase(),
    };
    await using agent = new RecursiveSkilledAgent({ ...quiet, tools: { shout } });
    assert.equal(await valueOf(agent, 'shout', { text: 'hi' }), 'HI');
  });

  test('are offered to models', async () => {
    const models = createScriptedModel([
      { calls: [{ name: 'get-weather', input: { city: 'Bergen' } }] },
      'It is 21 degrees.',
    ]);
    await using agent = createAgent({
      embeddings: false,
      models,
      tools: {
        getWeather: {
          description: 'Gets the weather of a city.',
          input: z.object({ city: z.string() }),
          run: ({ city }) => ({ city, degrees: 21 }),
        },
      },
    });
    const session = agent.session();
    const answer = await session.skill(
      { kind: 'skill', name: 'guide', description: 'Answers.', instructions: 'Answer: $ARGUMENTS' },
      { args: 'How is the weather in Bergen?' },
    );
    assert.equal(answer, 'It is 21 degrees.');
    assert.match(JSON.stringify(models.requests[1]?.messages), /\\"degrees\\":21/);
  });

  test('that cannot work are refused when the agent is created', () => {
    const input = z.object({});
    const broken: Readonly<Record<string, unknown>> = {
      'no function': tool({ description: 'Runs at the client.', inputSchema: input, outputSchema: input }),
      'no object': 7,
      'no description': { input, run: () => 1 },
      'an older schema': { description: 'Old.', input: old.object({}), run: () => 1 },
      'an older AI SDK schema': { description: 'Old.', inputSchema: old.object({}), execute: () => 1 },
      'a bad name!': { description: 'Bad.', input, run: () => 1 },
    };
    for (const [name, one] of Object.entries(broken))
      assert.throws(
        () => createAgent({ ...quiet, tools: { [name]: one as AgentTool } }),
        { code: 'skill.invalid' },
        name,
      );
  });
});
