import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFuzzedServer } from '../../../test/support/fuzzed-server.ts';
import { mutateJson } from '../../../test/support/mutate-json.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import type { Json, JsonObject } from '../../core/index.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 150, full: 10_000 });
const secret = 'the-secret-of-ana';

function call(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: 1, method, params };
}

const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: '/echo hello' }] };
const legacy = { kind: 'message', messageId: '1', role: 'user', parts: [{ kind: 'text', text: '/echo hi' }] };
const bodies: readonly JsonObject[] = [
  call('SendMessage', { message, configuration: { historyLength: 1 } }),
  call('SendStreamingMessage', { message: { ...message, contextId: 'c', metadata: { skill: 'ask' } } }),
  call('SendMessage', { message: { ...message, taskId: 'ID' } }),
  call('SendMessage', {
    message: { ...message, parts: [{ raw: 'AAAA', mediaType: 'image/png' }, { data: {} }] },
  }),
  call('GetTask', { id: 'ID', historyLength: 2 }),
  call('ListTasks', { contextId: '', pageSize: 3, pageToken: '', status: 'TASK_STATE_COMPLETED' }),
  call('CancelTask', { id: 'ID' }),
  call('SubscribeToTask', { id: 'ID' }),
  call('GetExtendedAgentCard', {}),
  call('message/send', { message: legacy, configuration: { blocking: true } }),
  call('message/stream', { message: legacy }),
  call('tasks/get', { id: 'ID' }),
  call('tasks/cancel', { id: 'ID' }),
  call('tasks/resubscribe', { id: 'ID' }),
];

test('every answer to a fuzzed call is a result or an error, and no data of another user', async () => {
  await using at = await openFuzzedServer();
  for (const skill of ['echo', 'ask']) {
    const parts = [{ text: `/${skill} ${secret}` }];
    const body = JSON.stringify(call('SendMessage', { message: { ...message, parts } }));
    assert.ok((await (await at.send('ana', 'POST', '/a2a', body)).text()).includes('result'));
  }
  const ids = [...(await at.runIds()), 'r_0'];
  await loop.rounds(async ({ random }) => {
    let body: Json = random.pick(bodies);
    for (let times = random.below(4); times > 0; times -= 1) body = mutateJson(body, random);
    const text = JSON.stringify(body).replaceAll('"ID"', `"${random.pick(ids)}"`);
    const sent = random.below(20) === 0 ? text.slice(0, random.below(text.length)) : text;
    const response = await at.send('bob', 'POST', '/a2a', sent);
    const answer = await response.text();
    const shown = `${sent}\n${response.status} ${answer}`.slice(0, 3_000);
    assert.ok(!answer.includes(secret), shown);
    assert.ok(
      !answer.includes('internal.bug') && response.status < 500,
      `${shown}\n${at.reports.at(-1) ?? ''}`,
    );
    for (const line of answer.startsWith('data: ') ? answer.split('\n').filter(Boolean) : [answer]) {
      const { result, error } = JSON.parse(line.replace(/^data: /, '')) as JsonObject;
      assert.ok(result !== undefined || Number.isInteger((error as JsonObject)['code']), shown);
    }
  });
  assert.deepEqual(at.reports, []);
});
