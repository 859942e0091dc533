import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { optional } from '../../src/core/collections.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedRequest, ServedTurn } from '../../src/testing/model-server/script.ts';
import { startWorker } from '../processes/start-worker.ts';
import { providerKinds } from '../support/provider-stage.ts';
import { openLoops } from '../stress/stress.ts';
import { readRequest } from './requests.ts';
import { conversationNamed } from './scripts.ts';
import { createFolders, openAgent, session } from './stage.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 2, full: 60 });
const [kind] = providerKinds;
const lastAppend = 14; // A turn with two calls and an approval appends about this often.

test('a turn that is killed anywhere, with a call and an approval, ends as if nothing had happened', async () => {
  assert.ok(kind !== undefined);
  await loop.rounds(async ({ random }) => {
    const when = random.pick(['before', 'after'] as const);
    const kill = { at: 1 + random.below(lastAppend), when };
    const folders = await createFolders(conversationNamed('approval'));
    await using server = await openModelServer(reply);
    const { options } = kind.setUp(server.url, undefined);
    const models = options.models as readonly string[];
    const order = {
      store: folders.files.at('runs.db'),
      effects: '',
      run: { prompt: 'Change it.', session, assistant: 'open', toAssistant: true },
      options: {
        workspace: folders.workspace,
        only: true,
        models,
        ...optional('providers', options.providers),
      },
      kill,
    } as const;
    {
      await using worker = startWorker(order, folders.files.at('cache'), {
        ...folders.environment,
        OFFICE_KEY: 'none',
      });
      await worker.ended;
    }
    await using agent = openAgent(folders, kind, server.url);
    const [run] = await agent.runs.list({ session });
    const handle =
      run === undefined
        ? agent.run({ prompt: 'Change it.', session, assistant: 'open' })
        : agent.runs.resume(run.id);
    let result = await handle.result;
    while (result.status === 'waiting') {
      await agent.runs.approve(result.runId, result.question?.id ?? '', { allow: 'once' });
      result = await agent.runs.resume(result.runId).result;
    }
    const where = `killed ${kill.when} append ${kill.at}`;
    assert.equal(result.text, 'It is red.', `${where}: ${JSON.stringify(result.error)}`);
    assert.match(readFileSync(folders.files.at('project/notes.md'), 'utf8'), /door is red\.$/m, where);
    await agent.run({ prompt: 'Thanks.', session, assistant: 'open' }).result;
    const lines = readRequest(server.requests.at(-1) as ServedRequest).lines.map(
      (line) => line.split(' ')[0],
    );
    assert.deepEqual(lines, ['user:', 'call', 'result', 'call', 'result', 'assistant:', 'user:'], where);
  });
});

/** Answers by the end of the conversation, so that a repeated request has the same answer. */
function reply(request: ServedRequest): ServedTurn {
  const last = readRequest(request).lines.at(-1) ?? '';
  if (last.startsWith('user: Change it.'))
    return { calls: [{ id: 'one', name: 'read', input: { file_path: 'notes.md' } }] };
  if (last.startsWith('result one'))
    return {
      calls: [
        { id: 'two', name: 'edit', input: { file_path: 'notes.md', old_string: 'green', new_string: 'red' } },
      ],
    };
  return last.startsWith('result two') ? 'It is red.' : 'You are welcome.';
}
