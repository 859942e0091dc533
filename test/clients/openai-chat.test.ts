import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import { done, textOf, until } from '../support/kernel.ts';
import { openaiStage } from '../support/openai-stage.ts';

const hello = { role: 'user', content: 'Hello, who are you?' } as const;

describe('Chat Completions with the OpenAI client', () => {
  test('text, usage and models', async () => {
    await using on = await openaiStage(
      [{ text: 'I am skilled.', usage: { inputTokens: 7, outputTokens: 3 } }],
      {
        echo: { run: (input: never) => done(textOf(input)) },
      },
    );
    const { data } = await on.client.models.list();
    assert.deepEqual(
      data.map(({ id }) => id),
      ['skilled', 'skilled/echo', 'skilled/using-skilled'],
    );
    assert.equal((await on.client.models.retrieve('skilled/echo')).id, 'skilled/echo');
    const { choices, usage } = await on.client.chat.completions.create({
      model: 'skilled',
      messages: [hello],
    });
    assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], ['I am skilled.', 'stop']);
    assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [7, 3, 10]);
    const echoed = await on.client.chat.completions.create({ model: 'skilled/echo', messages: [hello] });
    assert.equal(echoed.choices[0]?.message.content, hello.content);
  });

  test('a stream has the text in pieces, and the usage if asked', async () => {
    await using on = await openaiStage([{ text: 'One two three four five.', pieces: 5 }]);
    const stream = await on.client.chat.completions.create({
      model: 'skilled',
      messages: [hello],
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    let usage;
    for await (const chunk of stream) {
      const text = chunk.choices[0]?.delta.content ?? '';
      if (text !== '') pieces.push(text);
      usage = chunk.usage ?? usage;
    }
    assert.equal(pieces.join(''), 'One two three four five.');
    assert.ok(pieces.length > 1, String(pieces.length));
    assert.ok(usage);
  });

  test('the history and the system message of the request reach the model', async () => {
    await using on = await openaiStage(['Ana.']);
    await on.client.chat.completions.create({
      model: 'skilled',
      messages: [
        { role: 'system', content: 'Answer like a pirate.' },
        { role: 'user', content: 'My name is Ana.' },
        { role: 'assistant', content: 'Hello Ana.' },
        { role: 'user', content: 'What is my name?' },
      ],
    });
    const request = on.model.requests.at(-1);
    assert.match(request?.system ?? '', /pirate/);
    const texts = request?.messages.map(({ text }) => text) ?? [];
    assert.deepEqual(texts.slice(0, 2), ['My name is Ana.', 'Hello Ana.']);
    assert.match(texts.at(-1) ?? '', /What is my name/);
    assert.deepEqual((await on.agent.getActiveSessions()).length, 0);
  });

  test('a session on the server keeps the history', async () => {
    await using on = await openaiStage(['Hello Ana.', 'Ana.']);
    const options = { headers: { 'x-skilled-session': 's1' } };
    for (const content of ['My name is Ana.', 'What is my name?'])
      await on.client.chat.completions.create(
        { model: 'skilled', messages: [{ role: 'user', content }] },
        options,
      );
    const texts = on.model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
    assert.deepEqual(texts.slice(0, 2), ['My name is Ana.', 'Hello Ana.']);
  });

  test('errors have the form of the API and our code', async () => {
    await using on = await openaiStage([], { bad: () => Promise.reject(new Error('It broke.')) });
    const { client } = on;
    await assert.rejects(client.chat.completions.create({ model: 'gpt-4o', messages: [hello] }), (thrown) => {
      assert.ok(thrown instanceof OpenAI.NotFoundError);
      assert.equal(thrown.code, 'usage.not-found');
      return true;
    });
    await assert.rejects(
      client.chat.completions.create({ model: 'skilled', messages: [] }),
      OpenAI.BadRequestError,
    );
    await assert.rejects(client.chat.completions.create({ model: 'skilled/bad', messages: [hello] }), {
      status: 422,
      code: 'skill.failed',
    });
    const stream = await client.chat.completions.create({
      model: 'skilled/bad',
      messages: [hello],
      stream: true,
    });
    await assert.rejects(stream.toReadableStream().pipeTo(new WritableStream()), OpenAI.APIError);
    await assert.rejects(client.responses.retrieve('resp_none'), OpenAI.NotFoundError);
  });

  test('a client that goes away cancels the run', async () => {
    let begun = 0;
    await using on = await openaiStage([], {
      slow: (_input, scope) => {
        begun += 1;
        return new Promise((_, reject) => {
          scope.signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      },
    });
    for (const [index, stream] of [false, true].entries()) {
      const abort = new AbortController();
      const asked = on.client.chat.completions.create(
        { model: 'skilled/slow', messages: [hello], stream },
        { signal: abort.signal },
      );
      const ended = Promise.resolve(asked).then(
        () => undefined,
        () => undefined,
      );
      await until(() => begun > index);
      abort.abort();
      await ended;
      await until(async () => (await on.agent.runs.list()).every(({ status }) => status === 'cancelled'));
    }
  });
});
