import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedRequest } from '../../src/testing/model-server/script.ts';
import { providerKinds } from '../support/provider-stage.ts';
import { conversationNamed, picture } from './scripts.ts';
import { createFolders, openAgent, session } from './stage.ts';

const data = Buffer.from(picture).toString('base64');
const square = { name: 'square.png', mediaType: 'image/png', data };
const talk = { session, assistant: 'open', toAssistant: true } as const;

describe('a model that takes no pictures', { concurrency: true }, () => {
  for (const kind of providerKinds)
    test(`reads a text instead of each picture, through ${kind.name}`, async () => {
      const folders = await createFolders(conversationNamed('image'));
      using _files = folders.files;
      const pictures = ({ body }: ServedRequest): number => JSON.stringify(body).split(data).length - 1;
      await using server = await openModelServer((request) => {
        if (pictures(request) > 0)
          return { status: 400, errorMessage: 'This model does not support images.' };
        const text = JSON.stringify(request.body);
        return text.includes('Look again') && !text.includes('look-1')
          ? { calls: [{ id: 'look-1', name: 'read', input: { file_path: 'square.png' } }] }
          : 'I cannot see pictures.';
      });
      await using agent = openAgent(folders, kind, server.url);
      const first = await agent.run({ prompt: 'Which colour?', attachments: [square], ...talk }).result;
      assert.equal(first.text, 'I cannot see pictures.', JSON.stringify(first.error));
      const second = await agent.run({ prompt: 'Look again.', ...talk }).result;
      assert.equal(second.text, 'I cannot see pictures.', JSON.stringify(second.error));
      assert.deepEqual(server.requests.map(pictures), [1, 0, 0, 0], 'only the first request has the picture');
      const last = JSON.stringify(server.requests.at(-1)?.body);
      const count = last.split('is not shown: this model does not take pictures').length - 1;
      assert.equal(count, 2, 'the prompt and the result of the call');
    });

  test('a request that is rejected for another reason fails with that reason', async () => {
    const [kind] = providerKinds;
    assert.ok(kind !== undefined);
    const folders = await createFolders(conversationNamed('image'));
    using _files = folders.files;
    await using server = await openModelServer(() => ({ status: 400, errorMessage: 'Bad tools.' }));
    await using agent = openAgent(folders, kind, server.url);
    const { error } = await agent.run({ prompt: 'Which?', attachments: [square], ...talk }).result;
    assert.equal(error?.code, 'model.failed');
    assert.match(error.message, /Bad tools/);
    assert.equal(server.requests.length, 2 * kind.ids.length, 'each model is asked with and without it');
  });
});
