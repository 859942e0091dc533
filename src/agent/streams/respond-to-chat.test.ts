import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { z } from 'zod';
import { createAgent } from '../../config/create-agent.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { createScriptedModel, type Script } from '../../testing/index.ts';
import { respondToChat } from './respond-to-chat.ts';

const guide = defineSkill({ name: 'guide', description: 'Answers.', instructions: 'Answer: $ARGUMENTS' });
const ask = defineSkill({
  name: 'ask',
  description: 'Asks.',
  run: async (_, scope) => `Size ${JSON.stringify(await scope.ask('Which?'))}.`,
});
const order = defineSkill({
  name: 'order',
  description: 'Orders.',
  run: async (_, scope) => (await scope.call('pay', { to: 'ann' })).text,
});

function agentOf(script: Script, paid: string[] = []): RecursiveSkilledAgent {
  return createAgent({
    models: createScriptedModel(script),
    embeddings: false,
    instructions: 'You help.',
    skills: [guide, ask, order],
    tools: {
      pay: {
        description: 'Pays.',
        input: z.object({ to: z.string() }),
        needsApproval: true,
        run: ({ to }) => void paid.push(to),
      },
    },
  });
}

function said(text: string): UIMessage {
  return { id: text, role: 'user', parts: [{ type: 'text', text }] };
}

/** Sends a chat, and returns it with the answer, as the AI SDK reads it. */
async function sent(
  agent: RecursiveSkilledAgent,
  messages: readonly UIMessage[],
): Promise<readonly UIMessage[]> {
  const answer = await respondToChat(agent, { id: 'chat-1', messages });
  const body = await answer.text();
  assert.equal(answer.status, 200, body);
  const chunks = [...body.matchAll(/^data: (\{.*)$/gm)].map(
    ([, json = '']) => JSON.parse(json) as UIMessageChunk,
  );
  const earlier = messages.filter(({ role }, index) => role === 'user' || index + 1 < messages.length);
  const message = messages.at(-1);
  const stream = ReadableStream.from(chunks);
  const reader = readUIMessageStream({
    stream,
    ...(message?.role === 'assistant' ? { message: structuredClone(message) } : {}),
    terminateOnError: true,
  });
  let last: UIMessage | undefined;
  for await (const one of reader) last = one;
  return last === undefined ? earlier : [...earlier, last];
}

/** Returns a chat in which the user decides all approvals, in order. */
function decided(messages: readonly UIMessage[], ...approved: readonly boolean[]): readonly UIMessage[] {
  const left = [...approved];
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === 'dynamic-tool' && part.state === 'approval-requested'
        ? {
            ...part,
            state: 'approval-responded' as const,
            approval: { ...part.approval, approved: left.shift() === true },
          }
        : part,
    ),
  }));
}

function shown(messages: readonly UIMessage[]): readonly unknown[] {
  return (messages.at(-1)?.parts ?? []).flatMap((part): readonly unknown[] => {
    if (part.type === 'text') return [part.text];
    return part.type === 'dynamic-tool' ? [[part.toolName, part.state]] : [];
  });
}

const pay = (to: string) => ({ name: 'pay', input: { to } });

test('the decision about a call of a running skill is sent, and not held back until that skill ends', async () => {
  const paid: string[] = [];
  await using agent = agentOf([{ text: 'I order.', calls: [{ name: 'order', input: {} }] }, 'Done.'], paid);
  const asked = await sent(agent, [said('/guide order')]);
  assert.deepEqual(shown(asked), ['I order.', ['order', 'input-available'], ['pay', 'approval-requested']]);
  const answered = decided(asked, true);
  assert.ok(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [...answered] }));
  const end = await sent(agent, answered);
  assert.deepEqual(shown(end), [
    'I order.',
    ['order', 'output-available'],
    ['pay', 'output-available'],
    'Done.',
  ]);
  assert.deepEqual(paid, ['ann']);
});

test('one of two calls is denied, and both decisions are sent twice', async () => {
  const paid: string[] = [];
  await using agent = agentOf([{ text: 'I pay.', calls: [pay('ann'), pay('ben')] }, 'Done.'], paid);
  const answered = decided(await sent(agent, [said('/guide pay')]), true, false);
  for (const end of [await sent(agent, answered), await sent(agent, answered)])
    assert.deepEqual(shown(end), ['I pay.', ['pay', 'output-available'], ['pay', 'output-denied'], 'Done.']);
  assert.deepEqual(paid, ['ann']);
});

test('decisions with an unknown one change nothing', async () => {
  const paid: string[] = [];
  await using agent = agentOf([{ calls: [pay('ann')] }, 'Done.'], paid);
  const answered = decided(await sent(agent, [said('/guide pay')]), true);
  const [part] = answered.at(-1)?.parts ?? [];
  assert.ok(part?.type === 'dynamic-tool' && part.approval !== undefined);
  const other = { ...part, approval: { ...part.approval, id: `${part.approval.id}0` } };
  const broken = [{ ...answered.at(-1), parts: [part, other] }];
  assert.equal((await respondToChat(agent, { id: 'chat-1', messages: broken })).status, 400);
  assert.equal((await agent.runs.pending()).length, 1);
  assert.deepEqual(shown(await sent(agent, answered)), [['pay', 'output-available'], 'Done.']);
});

test('the answer to a question does not repeat what the message before it shows', async () => {
  await using agent = agentOf([{ text: 'I ask.', calls: [{ name: 'ask', input: {} }] }, 'Done.']);
  const asked = await sent(agent, [said('/guide ask')]);
  assert.deepEqual(shown(asked), ['I ask.', ['ask', 'input-available'], 'Which?']);
  const end = await sent(agent, [...asked, said('a')]);
  assert.deepEqual(shown(end), [['ask', 'output-available'], 'Done.']);
});

test('a chat cannot name the default session, which belongs to the program', async () => {
  await using agent = agentOf(['One.']);
  await agent.executePrompt('A secret.');
  assert.equal((await respondToChat(agent, { id: 'default', messages: [said('What?')] })).status, 403);
});

test('a picture of a message reaches the model, and an address instead of a picture is refused', async () => {
  const models = createScriptedModel(['Red.']);
  await using agent = createAgent({ models, embeddings: false, instructions: 'You see.' });
  const data =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const chat = (url: string): unknown => ({
    id: 'c',
    messages: [
      {
        id: '1',
        role: 'user',
        parts: [
          { type: 'text', text: 'Which colour?' },
          { type: 'file', mediaType: 'image/png', url },
        ],
      },
    ],
  });
  await (await respondToChat(agent, chat(`data:image/png;base64,${data}`))).text();
  const [message] = models.requests[0]?.messages ?? [];
  assert.equal(message?.role === 'user' ? message.attachments?.[0]?.data : undefined, data);
  assert.equal((await respondToChat(agent, chat('https://example.com/a.png'))).status, 400);
});

test('a failure that the client cannot correct is not called a bad request', async () => {
  const runs = { events: () => Promise.reject(new TypeError('broken')) } as never;
  const decided = {
    type: 'dynamic-tool',
    state: 'approval-responded',
    approval: { id: 'r/q', approved: true },
  };
  const answer = await respondToChat(
    { runs, stream: () => assert.fail('no prompt') },
    {
      id: 'c',
      messages: [{ role: 'assistant', parts: [decided] }],
    },
  );
  assert.equal(answer.status, 500);
});
