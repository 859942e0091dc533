import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Script } from '../../src/models/scripted.ts';
import { openaiStage } from '../support/openai-stage.ts';

// The response object of the Open Responses specification: these members are required.
const nullableText = z.string().nullable();
const item = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message'),
    id: z.string(),
    status: z.enum(['in_progress', 'completed', 'incomplete']),
    role: z.literal('assistant'),
    content: z.array(
      z.looseObject({
        type: z.literal('output_text'),
        text: z.string(),
        annotations: z.array(z.unknown()),
        logprobs: z.array(z.unknown()),
      }),
    ),
  }),
  z.looseObject({
    type: z.literal('function_call'),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status: z.enum(['in_progress', 'completed', 'incomplete']),
  }),
]);
const tool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: nullableText,
  parameters: z.looseObject({}).nullable(),
  strict: z.boolean().nullable(),
});
const usage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
});
const responseObject = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.string(),
  incomplete_details: z.looseObject({}).nullable(),
  model: z.string(),
  previous_response_id: nullableText,
  instructions: nullableText,
  output: z.array(item),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(tool),
  tool_choice: z.enum(['none', 'auto', 'required']),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.looseObject({ effort: nullableText, summary: nullableText }).nullable(),
  user: nullableText,
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.looseObject({}),
  safety_identifier: nullableText,
  prompt_cache_key: nullableText,
});
const streamEvent = z.looseObject({ type: z.string(), sequence_number: z.int() });

const user = (content: unknown): object => ({ type: 'message', role: 'user', content });
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const calls = [{ name: 'get_weather', input: { location: 'San Francisco, CA' } }];
const picture = `data:image/png;base64,${Buffer.from('not read here').toString('base64')}`;

interface Case {
  readonly name: string;
  readonly input: readonly object[];
  readonly script: Script;
  readonly isStream?: true;
  readonly tools?: readonly object[];
  readonly type: 'message' | 'function_call';
}

const sunny = 'What is the weather like in San Francisco?';
const cases: readonly Case[] = [
  { name: 'basic text', input: [user('Say hello in 3 words.')], script: ['Hello to you.'], type: 'message' },
  {
    name: 'streaming',
    input: [user('Count from 1 to 5.')],
    script: [{ text: '1 2 3 4 5', pieces: 5 }],
    isStream: true,
    type: 'message',
  },
  {
    name: 'system prompt',
    input: [{ type: 'message', role: 'system', content: 'You are a pirate.' }, user('Say hello.')],
    script: (request) => (request.system?.includes('You are a pirate.') === true ? 'Ahoy.' : 'No.'),
    type: 'message',
  },
  {
    name: 'tool calling',
    input: [user(sunny)],
    tools: [weather],
    script: [{ calls }],
    type: 'function_call',
  },
  {
    name: 'tool calling as a stream',
    input: [user(sunny)],
    tools: [weather],
    script: [{ calls }],
    isStream: true,
    type: 'function_call',
  },
  {
    name: 'image input',
    input: [
      user([
        { type: 'input_text', text: 'What do you see?' },
        { type: 'input_image', image_url: picture },
      ]),
    ],
    script: ['A red heart.'],
    type: 'message',
  },
  {
    name: 'multi-turn',
    input: [
      user('My name is Alice.'),
      { type: 'message', role: 'assistant', content: 'Hello Alice!' },
      user('What is my name?'),
    ],
    script: ({ messages }) => (messages[0]?.text === 'My name is Alice.' ? 'Alice.' : undefined),
    type: 'message',
  },
];

for (const { name, input, script, isStream = false, tools, type } of cases)
  test(`Open Responses: ${name}`, async () => {
    await using on = await openaiStage(script);
    const answer = await fetch(`${on.url}/openai/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: JSON.stringify({ model: 'skilled', input, stream: isStream, ...(tools && { tools }) }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const last = isStream ? readStream(text, type) : (JSON.parse(text) as unknown);
    const { status, output, tools: shown } = responseObject.parse(last);
    assert.deepEqual([status, output.at(-1)?.type, shown.length], ['completed', type, tools?.length ?? 0]);
  });

/** Checks the events of a stream, and returns the response at its end. */
function readStream(text: string, type: string): unknown {
  const blocks = text.split('\n\n').filter((block) => block !== '');
  assert.equal(blocks.pop(), 'data: [DONE]');
  const events = blocks.map((block) => {
    const [, name, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
    const event = streamEvent.parse(JSON.parse(data));
    assert.equal(event.type, name);
    return event;
  });
  const types = events.map((event) => event.type);
  const added = events.find((event) => event.type === 'response.output_item.added');
  assert.equal((added?.['item'] as { readonly type: string }).type, type);
  const delta = type === 'message' ? 'output_text' : 'function_call_arguments';
  for (const one of [`response.${delta}.delta`, `response.${delta}.done`, 'response.output_item.done'])
    assert.ok(types.includes(one), one);
  assert.equal(types.at(-1), 'response.completed');
  return events.at(-1)?.['response'];
}
