import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { Role } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import { startCommand } from '../support/command-process.ts';
import { tree } from '../support/tree.ts';

test('the clients of Anthropic and A2A talk to the installed package', async () => {
  await using models = await openModelServer([
    { text: 'One two three.', pieces: 3 },
    'Hello.',
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
    const client = new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none', maxRetries: 0 });
    const base = { model: 'skilled', max_tokens: 100 };
    const parts: string[] = [];
    const stream = client.messages.stream({ ...base, messages: [{ role: 'user', content: 'Count.' }] });
    stream.on('text', (text) => void parts.push(text));
    assert.equal((await stream.finalMessage()).stop_reason, 'end_turn');
    assert.deepEqual([parts.join(''), parts.length > 1], ['One two three.', true]);

    const a2a = await new ClientFactory().createFromUrl(url);
    const content = { $case: 'text', value: 'Say hello.' } as const;
    const task = await a2a.sendMessage({
      tenant: '',
      message: {
        messageId: '1',
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
      configuration: undefined,
      metadata: undefined,
    });
    assert.ok('artifacts' in task);
    assert.deepEqual(task.artifacts[0]?.parts[0]?.content, { $case: 'text', value: 'Hello.' });

    const abort = new AbortController();
    const waiting = client.messages.create(
      { ...base, messages: [{ role: 'user', content: 'Wait.' }] },
      { signal: abort.signal },
    );
    const { arrivedAt } = await models.waitForRequest(2);
    abort.abort();
    await assert.rejects(waiting, Anthropic.APIUserAbortError);
    assert.ok((await models.closed(2)) >= arrivedAt);
  } finally {
    served.child.kill();
    await served.ended;
  }
});
