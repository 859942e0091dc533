import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { collect, type ModelReply } from '../../core/model.ts';
import { createVariableLookup } from './keys.ts';
import { openModel } from './open-model.ts';

interface Served extends AsyncDisposable {
  readonly url: string;
}

async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: close,
  };
}

function ask(name: string, environment: Readonly<Record<string, string>>): Promise<ModelReply> {
  const model = openModel(name, { lookUp: createVariableLookup(environment) });
  return collect(model.stream({ messages: [{ role: 'user', text: 'Hello' }] }, new AbortController().signal));
}

test('neither prompt nor key follow a redirect', async () => {
  let visits = 0;
  await using elsewhere = await serve((_request, response) => {
    visits += 1;
    response.end('{}');
  });
  for (const status of [301, 302, 303, 307, 308]) {
    await using provider = await serve((_request, response) =>
      response.writeHead(status, { location: `${elsewhere.url}/v1/messages` }).end(),
    );
    const environment = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'a-key-of-somebody' };
    const { error } = await ask('anthropic/claude', environment);
    assert.equal(error?.code, 'model.unavailable');
    assert.match(error.message, new RegExp(`redirects to ${elsewhere.url}`));
  }
  assert.equal(visits, 0);
});

const kinds = [
  { name: 'an answer', status: 200, type: 'text/event-stream', piece: `data: ${'x'.repeat(1 << 20)}` },
  { name: 'a failure', status: 400, type: 'application/json', piece: 'x'.repeat(1 << 20) },
];
for (const { name, status, type, piece } of kinds) {
  test(`${name} without end is cut off`, async () => {
    await using provider = await serve((_request, response) => {
      response.writeHead(status, { 'content-type': type });
      const go = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', go);
      };
      go();
    });
    const { reason, error } = await ask('openai/x', { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'key' });
    assert.equal(reason, 'error');
    assert.match(error?.code ?? '', /^(?:limit\.too-large|model\.failed)$/);
  });
}
