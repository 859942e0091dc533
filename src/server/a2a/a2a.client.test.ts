import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Role, TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk';
import { ClientFactory, type Client } from '@a2a-js/sdk/client';
import type { AgentOptions } from '../../agent/options.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { createScriptedModel, type Script } from '../../models/scripted.ts';
import { agentWith, askAbout, done, hang, textOf, type TestSkill } from '../../../test/support/kernel.ts';
import { createServer } from '../create-server.ts';

interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly client: Client;
  readonly url: string;
}

async function stage(
  skills: Readonly<Record<string, TestSkill>>,
  script: Script = [],
  options: AgentOptions = {},
): Promise<Stage> {
  const models = createScriptedModel(script);
  const agent = agentWith(skills, { models, instructions: 'You help.', ...options });
  const server = createServer(agent);
  const { url } = await server.listen();
  return {
    agent,
    url,
    client: await new ClientFactory().createFromUrl(url),
    async [Symbol.asyncDispose]() {
      await server.close({ drainMs: 0 });
      await agent.shutdown();
    },
  };
}

const guide: TestSkill = { instructions: 'Answer: $ARGUMENTS' };
const ask: TestSkill = async (_, scope) => done(`Size ${textOf(await scope.ask('Which size?'))}.`);

function request(text: string, more: Partial<Message> = {}, isImmediate = false) {
  const message: Message = {
    messageId: '1',
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  };
  const configuration = {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: isImmediate,
  };
  return { tenant: '', message, configuration, metadata: undefined };
}

function mustBeTask(sent: Message | Task): Task {
  assert.ok('status' in sent);
  return sent;
}

function answerIn({ artifacts }: Task): string {
  return artifacts
    .flatMap(({ parts }) =>
      parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])),
    )
    .join();
}

async function read(
  stream: AsyncIterable<StreamResponse>,
): Promise<{ kinds: string[]; text: string; last: number }> {
  const kinds: string[] = [];
  let text = '';
  let last = 0;
  for await (const { payload } of stream) {
    kinds.push(payload?.$case ?? '');
    if (payload?.$case === 'artifactUpdate') {
      const [part] = payload.value.artifact?.parts ?? [];
      if (part?.content?.$case === 'text') text += part.content.value;
    }
    if (payload?.$case === 'statusUpdate' || payload?.$case === 'task')
      last = payload.value.status?.state ?? 0;
  }
  return { kinds, text, last };
}

test('the card lists the skills', async () => {
  await using at = await stage({ guide });
  const card = await at.client.getAgentCard();
  assert.ok(card.skills.some(({ id }) => id === 'guide'));
});

test('a message becomes a task with its answer', async () => {
  await using at = await stage({ guide }, ['Hello.']);
  const task = mustBeTask(await at.client.sendMessage(request('/guide hello')));
  assert.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
  assert.equal(answerIn(task), 'Hello.');
  const got = await at.client.getTask({ tenant: '', id: task.id });
  assert.deepEqual([got.id, answerIn(got)], [task.id, 'Hello.']);
});

test('a task is streamed as its answer is written', async () => {
  await using at = await stage({ guide }, [{ text: 'One two three four.', pieces: 4 }]);
  const { kinds, text, last } = await read(at.client.sendMessageStream(request('/guide count')));
  assert.deepEqual(
    [kinds[0], kinds.at(-1), text, last],
    ['task', 'statusUpdate', 'One two three four.', TaskState.TASK_STATE_COMPLETED],
  );
  assert.ok(kinds.filter((kind) => kind === 'artifactUpdate').length > 1);
});

test('a question needs input, and a message with the id of the task answers it', async () => {
  await using at = await stage({ ask });
  const asked = mustBeTask(await at.client.sendMessage(request('/ask')));
  assert.equal(asked.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  const [part] = asked.status.message?.parts ?? [];
  assert.deepEqual(part?.content, { $case: 'text', value: 'Which size?' });
  const { text, last } = await read(
    at.client.sendMessageStream(request('M', { taskId: asked.id, contextId: asked.contextId })),
  );
  assert.deepEqual([text, last], ['Size M.', TaskState.TASK_STATE_COMPLETED]);
  await assert.rejects(at.client.sendMessage(request('L', { taskId: asked.id })));
});

test('an approval needs input, and is decided', async () => {
  const paid: string[] = [];
  const pay: TestSkill = () => done(String(paid.push('x')));
  const order: TestSkill = async (_, scope) => done((await scope.call('pay', {})).text);
  await using at = await stage({ pay, order }, [], { policy: askAbout('pay') });
  const asked = mustBeTask(await at.client.sendMessage(request('/order')));
  assert.equal(asked.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  await assert.rejects(at.client.sendMessage(request('maybe', { taskId: asked.id })));
  const end = mustBeTask(await at.client.sendMessage(request('approve', { taskId: asked.id })));
  assert.deepEqual([end.status?.state, paid.length], [TaskState.TASK_STATE_COMPLETED, 1]);
});

test('a task continues when its client disconnects, is followed again, and is cancelled', async () => {
  const slow: TestSkill = (_, { signal }) => hang(signal);
  await using at = await stage({ slow });
  const task = mustBeTask(await at.client.sendMessage(request('/slow', {}, true)));
  assert.equal(task.status?.state, TaskState.TASK_STATE_WORKING);
  const followed = read(at.client.resubscribeTask({ tenant: '', id: task.id }));
  const cancelled = await at.client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
  assert.equal(cancelled.status?.state, TaskState.TASK_STATE_CANCELED);
  assert.equal((await followed).last, TaskState.TASK_STATE_CANCELED);
  await assert.rejects(at.client.cancelTask({ tenant: '', id: task.id, metadata: undefined }));
  await assert.rejects(at.client.getTask({ tenant: '', id: 'r_0' }));
});

test('clients of version 0.3 are served', async () => {
  await using at = await stage({ guide }, ['Hello.']);
  const call = async (method: string, params: object): Promise<Record<string, never>> => {
    const response = await fetch(`${at.url}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return (await response.json()) as Record<string, never>;
  };
  const parts = [{ kind: 'text', text: '/guide hello' }];
  const sent = await call('message/send', {
    message: { kind: 'message', messageId: '1', role: 'user', parts },
    configuration: { blocking: true },
  });
  const task = sent['result'] as unknown as { id: string; kind: string; status: { state: string } };
  assert.deepEqual([task.kind, task.status.state], ['task', 'completed'], JSON.stringify(sent));
  const error = (await call('tasks/get', { id: 'r_0' }))['error'] as unknown as { code: number };
  assert.equal(error.code, -32001);
});

test('the value and the artifacts of a run are artifacts of its task', async () => {
  const make: TestSkill = (_, scope) => {
    scope.artifact({ name: 'a.txt', mediaType: 'text/plain', text: 'content' });
    return done('Made.', { size: 4 });
  };
  await using at = await stage({ make });
  const { artifacts } = mustBeTask(await at.client.sendMessage(request('/make')));
  assert.deepEqual(
    artifacts.map(({ name, parts }) => [name, ...parts.map(({ content }) => content?.value as unknown)]),
    [
      ['a.txt', 'content'],
      ['answer', 'Made.', { size: 4 }],
    ],
  );
});
