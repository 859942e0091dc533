import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic, { AuthenticationError, PermissionDeniedError } from '@anthropic-ai/sdk';
import { agentWith, askAbout, done, textOf } from '../../../test/support/kernel.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { createServer } from '../create-server.ts';
import { createKeyStore, type NewKey } from '../keys/key-store.ts';

const scopes = ['runs:read', 'runs:write', 'skills:read'] as const;
const order: Anthropic.MessageParam = { role: 'user', content: 'Order.' };

test('keys are checked, and the questions and approvals of another user stay theirs', async () => {
  const store = createMemoryStore();
  await using agent = agentWith(
    {
      ask: async (_, scope) => done(`Size ${textOf(await scope.ask('Which size?'))}.`),
      pay: () => done('paid'),
      buy: async (_, scope) => done((await scope.call('pay', {})).text),
    },
    { store, policy: askAbout('pay') },
  );
  await using server = createServer(agent, { keys: true });
  const { url } = await server.listen();
  const keys = createKeyStore(store);
  const clientOf = async (name: string, more: Partial<NewKey> = {}): Promise<Anthropic> => {
    const { key } = await keys.add({ name, user: name, roles: [], scopes, ...more });
    return new Anthropic({ baseURL: `${url}/anthropic`, apiKey: key, maxRetries: 0 });
  };
  const [ana, bob] = [await clientOf('ana'), await clientOf('bob')];
  const decider = await clientOf('ana-2', { user: 'ana', scopes: [...scopes, 'approvals:decide'] });
  const reader = await clientOf('reader', { scopes: ['runs:read'] });
  const send = async (
    client: Anthropic,
    model: string,
    messages: Anthropic.MessageParam[] = [order],
  ): Promise<string> => {
    const { content } = await client.messages.create({ model, max_tokens: 10, messages });
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  };
  const stranger = new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'sk-none', maxRetries: 0 });
  await assert.rejects(send(stranger, 'skilled/ask'), AuthenticationError);
  await assert.rejects(send(reader, 'skilled/ask'), PermissionDeniedError);

  const asked = await send(ana, 'skilled/ask');
  const answered: Anthropic.MessageParam[] = [
    order,
    { role: 'assistant', content: asked },
    { role: 'user', content: 'M' },
  ];
  assert.equal(await send(bob, 'skilled/ask', answered), 'Which size?');
  assert.equal(await send(ana, 'skilled/ask', answered), 'Size M.');

  const approval = await send(ana, 'skilled/buy');
  const decided: Anthropic.MessageParam[] = [
    order,
    { role: 'assistant', content: approval },
    { role: 'user', content: 'approve' },
  ];
  await assert.rejects(send(ana, 'skilled/buy', decided), PermissionDeniedError);
  assert.equal(await send(decider, 'skilled/buy', decided), 'paid');
});
