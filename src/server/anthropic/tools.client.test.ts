import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { agentWith } from '../../../test/support/kernel.ts';
import { createScriptedModel, type ScriptedTurn } from '../../models/scripted.ts';
import { createServer } from '../create-server.ts';

const model = 'skilled';
const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'Tells the weather.',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const asks = (city: string) => ({ name: 'get_weather', input: { city } });

async function withClient(
  script: readonly ScriptedTurn[],
  work: (client: Anthropic, models: ReturnType<typeof createScriptedModel>) => Promise<void>,
): Promise<void> {
  const models = createScriptedModel(script);
  await using agent = agentWith({}, { models, assistant: 'open' });
  await using server = createServer(agent);
  const { url } = await server.listen();
  await work(new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none' }), models);
}

for (const isStream of [false, true])
  test(`the client executes its tools ${isStream ? 'in a stream' : 'between two messages'}`, async () => {
    const script = [{ text: 'I look.', calls: [asks('Cluj'), asks('Bergen')] }, 'Sunny and wet.'];
    await withClient(script, async (client, models) => {
      const send = async (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> => {
        const body = { model, max_tokens: 100, tools, messages };
        return isStream
          ? await client.messages.stream(body).finalMessage()
          : await client.messages.create(body);
      };
      const first: Anthropic.MessageParam = { role: 'user', content: 'Weather?' };
      const asked = await send([first]);
      assert.deepEqual(
        [
          asked.stop_reason,
          ...asked.content.map((block) => (block.type === 'tool_use' ? block.input : block.type)),
        ],
        ['tool_use', 'text', { city: 'Cluj' }, { city: 'Bergen' }],
      );
      const calls = asked.content.filter((block) => block.type === 'tool_use');
      const content = calls.map(({ id }, index): Anthropic.ToolResultBlockParam => {
        const result = { type: 'tool_result', tool_use_id: id } as const;
        return index === 0
          ? { ...result, content: 'sunny' }
          : { ...result, content: 'no sensor', is_error: true };
      });
      const end = await send([
        first,
        { role: 'assistant', content: asked.content },
        { role: 'user', content },
      ]);
      assert.deepEqual(
        [end.stop_reason, end.content.map((block) => (block.type === 'text' ? block.text : ''))],
        ['end_turn', ['Sunny and wet.']],
      );
      const sent = JSON.stringify(models.requests[1]?.messages);
      assert.ok(sent.includes('sunny') && sent.includes('no sensor'), sent);
    });
  });

test('results of calls that no run waits for are part of the conversation', async () => {
  await withClient(['Fine.'], async (client) => {
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_r_0__q1', name: 'get_weather', input: {} }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_r_0__q1', content: 'sunny' }] },
    ];
    const message = await client.messages.create({ model, max_tokens: 100, tools, messages });
    assert.equal(message.stop_reason, 'end_turn');
  });
});

test('tools that only the original servers execute are refused', async () => {
  await withClient([], async (client) => {
    const work = client.messages.create({
      model,
      max_tokens: 100,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      messages: [{ role: 'user', content: 'Search.' }],
    });
    await assert.rejects(work, BadRequestError);
  });
});
