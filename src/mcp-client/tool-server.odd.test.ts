import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  callText,
  oddEndpoint,
  open,
  stdioEndpoint,
  toolOf,
  unhurried,
  withPatience,
} from '../../test/support/tool-server-stage.ts';
import { minute, settled } from '../../test/support/deadline.ts';

describe('a server that is odd', () => {
  const server = open(oddEndpoint());
  after(() => server.close());

  test('is asked for all pages of its tools; what cannot be used is left out and said', async () => {
    const tools = await server.tools(unhurried);
    assert.ok(tools.length > 10);
    assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
    assert.ok(tools.every(({ hash }) => /^sha256:[0-9a-f]{64}$/.test(hash)));
    assert.deepEqual(server.complaints(), [
      'The tool "bad name" has no valid name.',
      'The tool name "plain" is used twice.',
    ]);
  });

  test('gets what it was called with, and the key that keeps it from doing it twice', async () => {
    const said = await callText(server, 'plain', { a: [1] }, { ...unhurried, idempotencyKey: 'k-1' });
    const { input, meta } = JSON.parse(said) as { input: unknown; meta: Record<string, unknown> };
    assert.deepEqual(input, { a: [1] });
    assert.equal(meta['skilled/idempotencyKey'], 'k-1');
  });

  test('may say that it failed: that is a result', async () => {
    const result = await server.call(await toolOf(server, 'refuse'), {}, unhurried);
    assert.deepEqual(result, {
      content: [{ kind: 'text', text: 'There is no such record.' }],
      isError: true,
    });
  });

  const failing: readonly (readonly [name: string, message: RegExp])[] = [
    ['throw', /^The server "odd" answered with an error: The disk is full\.$/],
    ['wrong', /output schema/],
    ['nonsense', /not a protocol message/],
  ];
  for (const [name, message] of failing) {
    test(`fails where its answer is not usable: ${name}`, async () => {
      await assert.rejects(callText(server, name), { code: 'server.failed', message });
      assert.match(await callText(server, 'plain', { still: 'there' }), /still/);
    });
  }

  test('may print on stdout what is not a message', async () => {
    assert.equal(await callText(server, 'noise'), 'after the noise');
  });

  test('gives 10 MB, of which 1 MB is kept', async () => {
    const result = await server.call(await toolOf(server, 'large'), { bytes: 10_000_000 }, unhurried);
    const size = Buffer.byteLength(JSON.stringify(result));
    assert.ok(size <= 1024 * 1024 && size > 1_000_000, String(size));
    assert.ok((result.leftOut ?? 0) > 8_900_000);
  });

  test('gives 70 MB: the request fails and the connection stays open', async () => {
    await assert.rejects(callText(server, 'large', { bytes: 70_000_000 }), {
      code: 'server.failed',
      message: /64 MB/,
    });
    assert.match(await callText(server, 'plain', { still: 'there' }), /still/);
  });

  test('is told when a request is cancelled, which ends', async () => {
    const before = Number(await callText(server, 'cancelled'));
    const stop = new AbortController();
    const reason = new Error('no longer wanted');
    const request = { signal: stop.signal, onProgress: () => stop.abort(reason) };
    await assert.rejects(settled(callText(server, 'wait', {}, request), 'the end'), reason);
    assert.equal(Number(await callText(server, 'cancelled')), before + 1);
  });

  test('gives its resources and its prompts', async () => {
    assert.deepEqual(await server.features(unhurried), { resources: true, prompts: true, skills: false });
    assert.deepEqual(await server.resources(unhurried), [{ uri: 'note://one', name: 'one' }]);
    assert.deepEqual((await server.readResource('note://one', unhurried)).content, [
      { kind: 'text', text: 'a note', uri: 'note://one' },
      { kind: 'blob', mediaType: 'image/png', base64: 'AAAA', uri: 'note://one' },
    ]);
    assert.deepEqual(await server.prompts(unhurried), [
      { name: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] },
    ]);
    const prompt = await server.getPrompt('greet', { who: 'Ann' }, unhurried);
    assert.deepEqual(prompt.content, [{ kind: 'text', text: 'user: Hello Ann' }]);
  });

  test('that describes a tool otherwise is not called as before', async () => {
    const plain = await toolOf(server, 'plain');
    await callText(server, 'redefine');
    await assert.rejects(server.call(plain, { secret: 1 }, unhurried), {
      code: 'server.changed',
      message: /plain/,
    });
    const now = await toolOf(server, 'plain');
    assert.notEqual(now.hash, plain.hash);
    assert.match(await callText(server, 'plain'), /input/);
  });

  test('that dies in a call says so, and is there again for the next', async () => {
    await assert.rejects(settled(callText(server, 'die'), 'the end'), {
      code: 'server.unreachable',
      message: 'The server "odd" ended with exit code 7: Segmentation fault, more or less',
    });
    assert.match(await callText(server, 'plain', { back: 1 }), /back/);
  });
});

describe('a server that does not start', () => {
  test('says its last words, without secrets, and what may help', async () => {
    await using server = open(oddEndpoint('crash'));
    await assert.rejects(server.tools(unhurried), (thrown: Error & { code: string; hint: string }) => {
      assert.equal(thrown.code, 'server.unreachable');
      assert.match(thrown.message, /ended with exit code 3.*ENOTFOUND example\.org/);
      assert.doesNotMatch(thrown.message, /abcdefghij/);
      assert.match(thrown.hint, /"hosts"/);
      return true;
    });
  });

  test('gives no answer in time', async () => {
    await using server = open(oddEndpoint('mute', 500));
    await assert.rejects(server.tools(unhurried), {
      code: 'limit.time',
      message: /did not answer within 0\.5 s/,
    });
  });

  test('is not installed', async () => {
    await using server = open(stdioEndpoint('no-such-program', []));
    await assert.rejects(server.tools(unhurried), { code: 'server.unreachable', message: /no-such-program/ });
  });

  test('is closed while it starts', async () => {
    const server = open(oddEndpoint('mute'));
    const asked = server.tools(unhurried);
    await server.close();
    await assert.rejects(asked, { code: 'server.unreachable', message: /was closed/ });
    await assert.rejects(server.tools(unhurried), { code: 'server.unreachable' });
  });

  test('is not waited for by one that was cancelled', async () => {
    await using server = open(oddEndpoint('mute'));
    const stop = new AbortController();
    const asked = server.tools({ signal: stop.signal });
    const reason = new Error('enough');
    stop.abort(reason);
    await assert.rejects(settled(asked, 'the end'), reason);
  });
});

test('progress puts the end of a request off', async () => {
  const patience = { ms: minute };
  await using server = open(withPatience(oddEndpoint(), patience));
  const steps = await toolOf(server, 'steps');
  patience.ms = 5_000; // ten times the pause between two steps, and less than the total time
  const progress: number[] = [];
  const request = { ...unhurried, onProgress: ({ done }: { done: number }) => progress.push(done) };
  const { content } = await server.call(steps, {}, request);
  assert.deepEqual(content, [{ kind: 'text', text: 'all steps' }]);
  assert.deepEqual(
    progress,
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
});

test('a server that speaks only the newest version is understood', async () => {
  await using server = open(oddEndpoint('modern'));
  const plain = await toolOf(server, 'plain');
  assert.match(await callText(server, 'plain', { a: 1 }), /"a":1/);
  await callText(server, 'redefine');
  await assert.rejects(server.call(plain, {}, unhurried), { code: 'server.changed' });
});

test('requests at the same time share one connection', async () => {
  await using server = open(oddEndpoint());
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, index) => callText(server, 'plain', { index })),
  );
  assert.deepEqual(
    all.map((said) => (JSON.parse(said) as { input: { index: number } }).input.index),
    [...all.keys()],
  );
});
