import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { ModelOptions } from '../core/model/sources.ts';
import { openModelServer, type ModelServer } from '../testing/model-server/server.ts';
import { BareLLMAgent } from './llm-agent.ts';
import { openModel } from './providers/open-model.ts';

/** Creates an agent whose provider `own` is the server. */
function agentAt({ url }: ModelServer, options: ModelOptions = {}): BareLLMAgent {
  const providers = { own: { baseUrl: `${url}/v1` } };
  const open = (name: string): ReturnType<typeof openModel> =>
    openModel(name, { lookUp: () => undefined, providers });
  return new BareLLMAgent({ models: 'own/one', providers, open, ...options });
}

const tools = [{ name: 'read', description: 'Reads.', input: { type: 'object' } }];

describe('over a real connection', () => {
  test('a server that is busy is asked again', async () => {
    await using server = await openModelServer([{ status: 503 }, 'Hello.']);
    const agent = agentAt(server);
    const reply = await agent.complete({ prompt: 'Hi' });
    assert.equal(reply.text, 'Hello.');
    assert.equal(reply.failed?.[0]?.error.code, 'model.busy');
    assert.equal(agent.ledger.entries[0]?.attempts, 2);
  });

  test('a server that falls silent is left, its connection closed, and the next model asked', async () => {
    await using server = await openModelServer([
      { text: 'one two three', hang: true, faultAfter: 2 },
      'Hello.',
    ]);
    const agent = agentAt(server, { models: ['own/one', 'own/two'], idleSeconds: 2, retries: 0 });
    const reply = await agent.complete({ prompt: 'Hi' });
    assert.equal(reply.text, 'Hello.');
    assert.equal(reply.model, 'own/two');
    assert.equal(reply.failed?.[0]?.error.code, 'model.timeout');
    await server.closed(0);
  });

  test('an answer that is cancelled closes its connection', async () => {
    await using server = await openModelServer([{ text: 'one two three', hang: true }]);
    const controller = new AbortController();
    const stream = agentAt(server).stream(
      { messages: [{ role: 'user', text: 'Hi' }] },
      { signal: controller.signal },
    );
    for await (const event of stream) {
      if (event.type === 'text') controller.abort();
      if (event.type === 'end') assert.equal(event.reason, 'aborted');
    }
    await server.closed(0);
  });

  test('a model that takes no tools gets them in words', async () => {
    await using server = await openModelServer((request) =>
      'tools' in request.body
        ? { status: 400, errorMessage: 'registry.local/small does not support tools' }
        : '```call\n{"tool": "read", "input": {"path": "a"}}\n```',
    );
    const agent = agentAt(server);
    for (const requests of [2, 3]) {
      const { calls, reason } = await agent.complete({ prompt: 'Hi', tools });
      assert.equal(reason, 'calls');
      assert.deepEqual(calls, [{ id: 'text-1', name: 'read', input: { path: 'a' } }]);
      assert.equal(server.requests.length, requests);
    }
  });

  test('a value is repaired until it fits', async () => {
    await using server = await openModelServer(['{"age": "36"}', '{"age": 36}']);
    const shape = z.object({ age: z.int() });
    assert.deepEqual(await agentAt(server).executePrompt('Who?', { responseShape: shape }), { age: 36 });
    assert.match(JSON.stringify(server.requests[1]?.body['messages']), /- age must be /);
  });
});
