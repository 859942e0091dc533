import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import { startCommand } from '../support/command-process.ts';
import { tree } from '../support/tree.ts';

test('the OpenAI client talks to the installed package, with a model server behind it', async () => {
  await using models = await openModelServer([
    { text: 'One two three.', pieces: 3 },
    { calls: [{ name: 'get_weather', input: { city: 'Cluj' } }] },
    'It is sunny.',
    { text: 'Never whole.', hang: true, faultAfter: 0 },
  ]);
  using files = tree({ '.git/HEAD': 'ref: refs/heads/main\n' });
  const args = ['--model', 'test-model', '--base-url', `${models.url}/v1`];
  const served = startCommand(['serve', '--port', '0', ...args], {
    cwd: files.path,
    env: { HOME: files.path, PATH: process.env['PATH'] ?? '' },
  });
  let printed = '';
  for (const stream of [served.child.stdout, served.child.stderr])
    stream?.on('data', (text: string) => (printed += text));
  try {
    await served.printed('http://127.0.0.1:');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none', maxRetries: 0 });
    const stream = await client.responses.create({ model: 'skilled', input: 'Count.', stream: true });
    const deltas: string[] = [];
    for await (const event of stream)
      if (event.type === 'response.output_text.delta') deltas.push(event.delta);
    assert.deepEqual([deltas.join(''), deltas.length > 1], ['One two three.', true]);

    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather in Cluj?' }];
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } } as const];
    const first = await client.chat.completions.create({ model: 'skilled', messages, tools });
    const message = first.choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    assert.ok(message && call);
    messages.push(message, { role: 'tool', tool_call_id: call.id, content: 'sun' });
    const next = await client.chat.completions.create({ model: 'skilled', messages, tools });
    assert.equal(next.choices[0]?.message.content, 'It is sunny.');

    const abort = new AbortController();
    const asked = client.responses.create({ model: 'skilled', input: 'Wait.' }, { signal: abort.signal });
    const { arrivedAt } = await models.waitForRequest(3);
    abort.abort();
    await assert.rejects(asked, OpenAI.APIUserAbortError);
    assert.ok((await models.closed(3)) >= arrivedAt);
  } finally {
    served.child.kill();
    await served.ended;
  }
});
