import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type ChatState,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { z } from 'zod';
import { createAgent } from '../../config/create-agent.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { createScriptedModel, type Script } from '../../testing/index.ts';
import { respondToChat, type ChatOptions } from './respond-to-chat.ts';
import { toResponse } from './to-response.ts';
import { toUIMessageStream } from './ui-messages.ts';

const guide = defineSkill({ name: 'guide', description: 'Answers.', instructions: 'Answer: $ARGUMENTS' });

function agentOf(script: Script, sent: string[] = []): RecursiveSkilledAgent {
  return createAgent({
    models: createScriptedModel(script),
    embeddings: false,
    skills: [guide],
    tools: {
      weather: {
        description: 'Gets the weather.',
        input: z.object({ city: z.string() }),
        run: ({ city }) => ({ city, degrees: 21 }),
      },
      send: {
        description: 'Sends a message.',
        input: z.object({ to: z.string() }),
        needsApproval: true,
        run: ({ to }) => {
          sent.push(to);
          return `Sent to ${to}.`;
        },
      },
      fail: {
        description: 'Fails.',
        input: z.object({}),
        run: () => {
          throw new Error('no luck');
        },
      },
    },
  });
}

const look = { text: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Bergen' } }] };
const send = { text: 'I will send it.', calls: [{ name: 'send', input: { to: 'ann' } }] };

async function textIn(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

describe('the text of a stream', () => {
  test('is what the model of the skill writes, and can be read twice', async () => {
    await using agent = agentOf([look, 'It is 21 degrees.']);
    const run = agent.stream('/guide how is it?');
    const [one, two] = await Promise.all([textIn(run.textStream), textIn(run.textStream)]);
    assert.equal(one, 'Let me look.\n\nIt is 21 degrees.');
    assert.equal(two, one);
    assert.equal((await run.result).text, 'It is 21 degrees.');
  });

  test('arrives in pieces', async () => {
    await using agent = agentOf(['One two three four five six.']);
    const parts: string[] = [];
    for await (const part of agent.stream('/guide').textStream) parts.push(part);
    assert.ok(parts.length > 1);
  });

  test('is the result of a skill without a model, and the question of one that asks', async () => {
    await using agent = agentOf([]);
    agent.skills.register(defineSkill({ name: 'two', description: 'Two.', run: () => 'Two.' }));
    agent.skills.register(
      defineSkill({
        name: 'ask',
        description: 'Asks.',
        run: async (_, scope) => ({
          status: 'done',
          text: `Going ${JSON.stringify(await scope.ask('Which way?'))}.`,
        }),
      }),
    );
    assert.equal(await textIn(agent.stream('/two').textStream), 'Two.');
    assert.equal(await textIn(agent.stream('/ask').textStream), 'Which way?');
    assert.equal(await textIn(agent.stream('left').textStream), 'Going "left".');
  });

  test('ends with a failure, which the result tells', async () => {
    await using agent = agentOf([]);
    const run = agent.stream('/fail', { args: {} });
    assert.equal(await textIn(run.textStream), '');
    assert.equal((await run.result).ok, false);
  });
});

describe('a response', () => {
  test('sends all events and the result, or only the text', async () => {
    await using agent = agentOf(['One.', 'Two.']);
    const events = toResponse(agent.stream('/guide'));
    assert.equal(events.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const blocks = (await events.text()).trim().split('\n\n');
    const kinds = blocks.map((block) => /^event: (.*)$/m.exec(block)?.[1]);
    assert.deepEqual([kinds[0], ...kinds.slice(-2)], ['run.started', 'run.ended', 'result']);
    const ids = blocks.flatMap((block) => /^id: (\d+)$/m.exec(block)?.[1] ?? []).map(Number);
    assert.deepEqual(
      ids,
      ids.map((_, index) => index + 1),
    );
    const result = JSON.parse(/^data: (.*)$/m.exec(blocks.at(-1) ?? '')?.[1] ?? '') as { text: string };
    assert.equal(result.text, 'One.');
    const text = toResponse(agent.stream('/guide'), { format: 'text', status: 201, headers: { 'x-a': 'b' } });
    assert.deepEqual([text.status, text.headers.get('x-a'), await text.text()], [201, 'b', 'Two.']);
  });
});

/** The messages of a chat, kept as `useChat` keeps them. */
class Chat extends AbstractChat<UIMessage> {
  constructor(transport: DefaultChatTransport<UIMessage>, id = 'chat-1') {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: (value) => structuredClone(value),
    };
    super({
      id,
      state,
      transport,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

/** An HTTP server that answers chats with an agent. */
async function serve(
  agent: RecursiveSkilledAgent,
  options: ChatOptions = {},
): Promise<AsyncDisposable & { readonly transport: DefaultChatTransport<UIMessage>; readonly url: string }> {
  const server: Server = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    void (async () => {
      const body: unknown = JSON.parse(await textIn(request.setEncoding('utf8')));
      const answer = await respondToChat(agent, body, { ...options, signal: gone.signal });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body !== null) Readable.fromWeb(answer.body as never).pipe(response);
    })();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    transport: new DefaultChatTransport<UIMessage>({ api: url }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the parts of a message in short. */
function shown(message: UIMessage | undefined): readonly unknown[] {
  return (message?.parts ?? []).map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type !== 'dynamic-tool') return part.type;
    const output = part.state === 'output-available' ? part.output : part.errorText;
    return [part.toolName, part.state, ...(output === undefined ? [] : [output])];
  });
}

describe('a chat of the AI SDK', () => {
  test('shows text and tool calls, and keeps the session', async () => {
    await using agent = agentOf([look, 'It is 21 degrees.', 'Warm.']);
    await using server = await serve(agent);
    const chat = new Chat(server.transport);
    await chat.sendMessage({ text: '/guide how is it?' });
    assert.equal(chat.error, undefined);
    assert.deepEqual(shown(chat.lastMessage), [
      'Let me look.',
      ['weather', 'output-available', { city: 'Bergen', degrees: 21 }],
      'It is 21 degrees.',
    ]);
    const { status, skill } = chat.lastMessage?.metadata as { status: string; skill: string };
    assert.deepEqual([status, skill], ['done', 'guide']);
    await chat.sendMessage({ text: '/guide and now?' });
    assert.deepEqual(shown(chat.lastMessage), ['Warm.']);
    assert.deepEqual(await agent.getActiveSessions(), ['chat-1']);
  });

  test('asks for approval, and continues the same message once the user has decided', async () => {
    for (const [approved, end, state] of [
      [true, ['ann'], 'output-available'],
      [false, [], 'output-denied'],
    ] as const) {
      const sent: string[] = [];
      await using agent = agentOf([send, 'Done.'], sent);
      await using server = await serve(agent);
      const chat = new Chat(server.transport);
      await chat.sendMessage({ text: '/guide send it' });
      const part = chat.lastMessage?.parts.find(({ type }) => type === 'dynamic-tool');
      assert.ok(part?.type === 'dynamic-tool' && part.state === 'approval-requested', JSON.stringify(part));
      assert.deepEqual(sent, []);
      await chat.addToolApprovalResponse({
        id: part.approval.id,
        approved,
        ...(approved ? {} : { reason: 'No.' }),
      });
      await settled(chat);
      assert.equal(chat.error, undefined);
      assert.equal(chat.messages.length, 2);
      const parts = shown(chat.lastMessage);
      assert.deepEqual([parts[0], parts.at(-1)], ['I will send it.', 'Done.']);
      assert.equal((parts[1] as readonly unknown[])[1], state);
      assert.equal(parts.length, 3);
      assert.deepEqual(sent, end);
    }
  });

  test('shows the failure of a tool and of a run', async () => {
    await using agent = agentOf([{ calls: [{ name: 'fail', input: {} }] }, 'It failed.']);
    await using server = await serve(agent);
    const chat = new Chat(server.transport);
    await chat.sendMessage({ text: '/guide' });
    assert.deepEqual(shown(chat.lastMessage), [['fail', 'output-error', 'no luck'], 'It failed.']);
    await chat.sendMessage({ text: '/no-such-skill' });
    assert.ok(chat.error instanceof Error && /no-such-skill/.test(chat.error.message), String(chat.error));
  });

  test('that stops cancels its run', async () => {
    await using agent = agentOf([]);
    const started = Promise.withResolvers<undefined>();
    agent.skills.register(
      defineSkill({
        name: 'slow',
        description: 'Never ends.',
        run: (_, { signal }) => {
          started.resolve(undefined);
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('stopped'));
            });
          });
        },
      }),
    );
    await using server = await serve(agent);
    const chat = new Chat(server.transport);
    const sending = chat.sendMessage({ text: '/slow' });
    await started.promise;
    await chat.stop();
    await sending;
    const [run] = await agent.runs.list();
    assert.ok(run !== undefined);
    assert.equal((await lastEvent(agent, run.id))?.type, 'run.ended');
    assert.equal((await agent.runs.result(run.id)).status, 'cancelled');
  });

  test('cannot decide for another chat or another user', async () => {
    const sent: string[] = [];
    await using agent = agentOf([send, 'Done.'], sent);
    await using ann = await serve(agent, { user: { id: 'ann' } });
    await using ben = await serve(agent, { user: { id: 'ben' } });
    const chat = new Chat(ann.transport);
    await chat.sendMessage({ text: '/guide send it' });
    const decided = {
      id: 'chat-1',
      messages: [
        {
          ...chat.lastMessage,
          parts: chat.lastMessage?.parts.map((part) =>
            part.type === 'dynamic-tool'
              ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
              : part,
          ),
        },
      ],
    };
    for (const [url, body] of [
      [ben.url, decided],
      [ann.url, { ...decided, id: 'chat-2' }],
    ] as const) {
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
      assert.equal(answer.status, 403);
    }
    assert.deepEqual(sent, []);
    const own = await fetch(ann.url, { method: 'POST', body: JSON.stringify(decided) });
    assert.equal(own.status, 200);
    await own.text();
    assert.deepEqual(sent, ['ann']);
  });

  test('that is no chat is refused', async () => {
    await using agent = agentOf([]);
    for (const body of [
      null,
      7,
      {},
      { id: 'a', messages: [] },
      { id: 'a', messages: [{ role: 'user', parts: [] }] },
      { id: '', messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
      { id: 'a', messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'x' }] }] },
    ]) {
      const answer = await respondToChat(agent, body);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'usage.bad-input');
    }
  });

  test('can be read without a server, by the reader of the AI SDK', async () => {
    await using agent = agentOf([look, 'It is 21 degrees.']);
    const stream: ReadableStream<UIMessageChunk> = toUIMessageStream(agent.stream('/guide'));
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream })) last = message;
    assert.equal(shown(last).length, 3);
  });
});

/** Waits until a chat has sent its decision and received the answer. */
async function settled(chat: Chat): Promise<void> {
  const isOver = (): boolean =>
    (chat.status === 'ready' || chat.status === 'error') &&
    chat.lastMessage?.parts.every((part) => part.type !== 'dynamic-tool' || !/^approval/.test(part.state)) ===
      true;
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function lastEvent(agent: RecursiveSkilledAgent, runId: string) {
  for (;;) {
    const last = (await agent.runs.events(runId)).at(-1);
    if (last?.type === 'run.ended') return last;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
