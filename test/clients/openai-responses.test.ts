import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { done, textOf, until } from '../support/kernel.ts';
import { openaiStage } from '../support/openai-stage.ts';

const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('Responses with the OpenAI client', () => {
  test('text, and the next turns by the previous response', async () => {
    await using on = await openaiStage(['Hello Ana.', 'Ana.', 'Still Ana.']);
    const { responses } = on.client;
    const first = await responses.create({
      model: 'skilled',
      input: 'My name is Ana.',
      instructions: 'Be brief.',
    });
    assert.deepEqual([first.status, first.output_text], ['completed', 'Hello Ana.']);
    assert.ok((first.usage?.total_tokens ?? 0) > 0);
    assert.match(on.model.requests[0]?.system ?? '', /Be brief/);
    const next = await responses.create({
      model: 'skilled',
      input: 'What is my name?',
      previous_response_id: first.id,
    });
    assert.equal(next.output_text, 'Ana.');
    const fork = await responses.create({
      model: 'skilled',
      input: 'And again?',
      previous_response_id: first.id,
    });
    assert.equal(fork.output_text, 'Still Ana.');
    const texts = on.model.requests.map(({ messages }) => messages.map(({ text }) => text));
    assert.deepEqual(texts[1]?.slice(0, 2), ['My name is Ana.', 'Hello Ana.']);
    assert.deepEqual(texts[2]?.slice(0, 2), ['My name is Ana.', 'Hello Ana.']);
    assert.ok(!(texts[2] ?? []).some((text) => text.includes('What is my name')));
  });

  test('a conversation on the server keeps the history', async () => {
    await using on = await openaiStage(['Hello Ana.', 'Ana.']);
    for (const input of ['My name is Ana.', 'What is my name?'])
      await on.client.responses.create({ model: 'skilled', input, conversation: 'conv_1' });
    const texts = on.model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
    assert.deepEqual(texts.slice(0, 2), ['My name is Ana.', 'Hello Ana.']);
  });

  test('a stream has every event of the API in order', async () => {
    await using on = await openaiStage([{ text: 'One two three.', pieces: 3 }]);
    const stream = await on.client.responses.create({ model: 'skilled', input: 'Count.', stream: true });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    assert.deepEqual(types, [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    assert.deepEqual(
      events.map(({ sequence_number: number }) => number),
      events.map((_, index) => index),
    );
    const deltas = events.flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    );
    assert.deepEqual([deltas.length > 1, deltas.join('')], [true, 'One two three.']);
  });

  test('a response is stored, unless the client does not want that, and can be deleted', async () => {
    await using on = await openaiStage(['One.', 'Two.']);
    const { responses } = on.client;
    const stored = await responses.create({ model: 'skilled', input: 'Say one.' });
    assert.deepEqual((await responses.retrieve(stored.id)).output_text, 'One.');
    await responses.delete(stored.id);
    await assert.rejects(responses.retrieve(stored.id), OpenAI.NotFoundError);
    const other = await responses.create({ model: 'skilled', input: 'Say two.', store: false });
    await assert.rejects(responses.retrieve(other.id), OpenAI.NotFoundError);
  });

  test('a response in the background can be cancelled', async () => {
    await using on = await openaiStage([{ hang: true }]);
    const { responses } = on.client;
    const begun = await responses.create({ model: 'skilled', input: 'Work.', background: true });
    assert.equal(begun.status, 'in_progress');
    assert.equal((await responses.cancel(begun.id)).status, 'cancelled');
    await until(async () => (await on.agent.runs.list()).every(({ status }) => status === 'cancelled'));
  });

  test('structured output has the schema of the request', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    await using on = await openaiStage(
      ['Cluj', 'Iași'].map((city) => ({ calls: [{ name: 'submit', input: { city } }] })),
    );
    const { output_text: text } = await on.client.responses.create({
      model: 'skilled',
      input: 'Which city?',
      text: { format: { type: 'json_schema', name: 'city', schema, strict: true } },
    });
    assert.deepEqual(JSON.parse(text), { city: 'Cluj' });
    const { choices } = await on.client.chat.completions.create({
      model: 'skilled',
      messages: [{ role: 'user', content: 'Which city?' }],
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema, strict: true } },
    });
    assert.deepEqual(JSON.parse(choices[0]?.message.content ?? ''), { city: 'Iași' });
  });

  test('pictures reach the model', async () => {
    await using on = await openaiStage(['A dot.', 'A dot.']);
    await on.client.responses.create({
      model: 'skilled',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: picture, detail: 'auto' },
          ],
        },
      ],
    });
    await on.client.chat.completions.create({
      model: 'skilled',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: picture } },
          ],
        },
      ],
    });
    for (const { messages } of on.model.requests) {
      const last = messages.at(-1);
      const [attachment] = last?.role === 'user' ? (last.attachments ?? []) : [];
      assert.equal(attachment?.data, picture.split(',')[1]);
    }
  });

  test('a question ends the response, and the next message answers it', async () => {
    await using on = await openaiStage([], {
      greet: async (_input, scope) => done(`Hello ${textOf(await scope.ask('What is your name?'))}.`),
    });
    const { client } = on;
    const first = await client.responses.create({ model: 'skilled/greet', input: 'Greet me.' });
    assert.deepEqual([first.status, first.output_text], ['completed', 'What is your name?']);
    const next = await client.responses.create({
      model: 'skilled/greet',
      input: 'Ana',
      previous_response_id: first.id,
    });
    assert.equal(next.output_text, 'Hello Ana.');
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Greet me.' }];
    const asked = await client.chat.completions.create({ model: 'skilled/greet', messages });
    assert.equal(asked.choices[0]?.message.content, 'What is your name?');
    messages.push({ role: 'assistant', content: 'What is your name?' }, { role: 'user', content: 'Bob' });
    const answered = await client.chat.completions.create({ model: 'skilled/greet', messages });
    assert.equal(answered.choices[0]?.message.content, 'Hello Bob.');
    assert.equal((await on.agent.runs.list()).length, 2);
  });

  test('a message can leave a question open, and an idempotency key runs a request once', async () => {
    const schema = { type: 'integer' };
    await using on = await openaiStage([], {
      count: async (_input, scope) => done(textOf(await scope.ask({ text: 'How many?', schema }))),
      echo: (input) => done(textOf(input)),
    });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: '/count' }];
    const { completions } = on.client.chat;
    const asked = await completions.create({ model: 'skilled', messages });
    const content = asked.choices[0]?.message.content ?? '';
    assert.equal(content, 'How many?');
    messages.push({ role: 'assistant', content }, { role: 'user', content: '/echo hi' });
    const request = { model: 'skilled', messages };
    const options = { headers: { 'idempotency-key': 'k1' } };
    const [one, other] = [
      await completions.create(request, options),
      await completions.create(request, options),
    ];
    assert.equal(one.choices[0]?.message.content, 'hi');
    assert.equal(other.id, one.id);
    const changed = { model: 'skilled', messages: messages.slice(0, 1) };
    await assert.rejects(completions.create(changed, options), OpenAI.ConflictError);
    const { choices } = await completions.create({
      model: 'skilled',
      messages: [...messages.slice(0, 2), { role: 'user', content: '7' }],
    });
    assert.equal(choices[0]?.message.content, '7');
    assert.equal((await on.agent.runs.list()).length, 2);
  });
});
