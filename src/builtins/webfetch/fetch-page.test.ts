import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { AgentError } from '../../core/error.ts';
import type { Output } from '../../core/run.ts';
import { adopt } from '../../families/function/adopt.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { localReach, openPageServer, pageIn } from '../../../test/support/page-server.ts';
import { webfetch } from './index.ts';
import { followRedirect } from './fetch-page.ts';

const server = await openPageServer();
const { origin, port, asked, answer, send, fetch } = server;
after(() => server[Symbol.asyncDispose]());

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (error as AgentError).code,
  );
}

describe('webfetch says what went wrong', () => {
  const failing = async (work: Promise<Output>): Promise<string> => {
    let said = 'nothing';
    await assert.rejects(work, (thrown: unknown) => {
      const { code, message } = thrown as AgentError;
      said = `${code}: ${message.replaceAll(origin, '')}`;
      return true;
    });
    return said;
  };

  test('with the status that the server gave', async () => {
    answer((_request, response) => void response.writeHead(404).end('secret'));
    assert.equal(await failing(fetch()), 'skill.failed: /page answered 404 Not Found.');
    answer((_request, response) => void response.writeHead(503, 'Busy').end());
    assert.equal(await failing(fetch()), 'skill.failed: /page answered 503 Busy.');
  });

  test('with what is not text', async () => {
    send('x', 'image/png');
    assert.equal(await failing(fetch()), 'skill.failed: /page is not text but image/png.');
    send('x', 'image/svg+xml');
    assert.match(await failing(fetch()), /image\/svg\+xml/);
    send('a\0b', 'text/plain');
    assert.match(await failing(fetch()), /is not text/);
  });

  test('with what is too large, packed or not, long before it is unpacked', async () => {
    send('x'.repeat(5_000_001), 'text/plain');
    assert.match(await failing(fetch()), /^limit\.too-large: The page is larger than 5,000,000 bytes\./);
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    for (const [encoding, body] of [
      ['gzip', bomb],
      ['br', brotliCompressSync(Buffer.alloc(50_000_000), { params: { 1: 1 } })],
    ] as const) {
      send(body, 'text/plain', { 'content-encoding': encoding });
      assert.match(await failing(fetch()), /^limit\.too-large/);
    }
  });

  test('with what never ends', async () => {
    answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', write);
      };
      write();
    });
    assert.match(await failing(fetch()), /^limit\.too-large/);
  });

  test('with what is packed badly', async () => {
    send('hello', 'text/plain', { 'content-encoding': 'gzip' });
    assert.match(await failing(fetch()), /^skill\.failed: .*corrupt/);
    send(gzipSync('hello'.repeat(1000)).subarray(0, 20), 'text/plain', { 'content-encoding': 'gzip' });
    assert.match(await failing(fetch()), /corrupt/);
    send('hello', 'text/plain', { 'content-encoding': 'gzip, gzip' });
    assert.match(await failing(fetch()), /"gzip, gzip"/);
  });

  test('with what takes too long, whether the head or the body', async () => {
    const short = { reach: localReach, limits: { timeMs: 100 } };
    answer(() => undefined);
    assert.match(await failing(fetch({}, short)), /^limit\.time: .*\/page .* 0\.1 seconds/);
    answer((_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('a'));
    assert.match(await failing(fetch({}, short)), /^limit\.time: .*\/page .* 0\.1 seconds/);
  });

  test('with a connection that breaks, and a host that is not there', async () => {
    answer((request) => void request.socket.destroy());
    assert.match(await failing(fetch()), /^skill\.failed: \/page could not be fetched: socket hang up\./);
    answer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '9' }).write('a');
      setImmediate(() => request.socket.destroy());
    });
    assert.match(await failing(fetch()), /^skill\.failed: \/page could not be fetched/);
    const nowhere = async (): Promise<never> => {
      throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    };
    const output = fetch({ url: 'http://nowhere.test/' }, { reach: { resolve: nowhere } });
    assert.equal(
      await failing(output),
      'skill.failed: http://nowhere.test/ could not be fetched: the host was not found.',
    );
  });

  test('and stops with its call', async () => {
    const stop = new AbortController();
    answer(() => stop.abort(new Error('cancelled')));
    await assert.rejects(fetch({}, undefined, { signal: stop.signal }), /cancelled/);
  });
});

describe('webfetch reaches only the open internet', () => {
  test('by itself not this machine, in any spelling', async () => {
    const definition = adopt(webfetch);
    assert.ok(definition);
    for (const host of [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
    ]) {
      for (const url of [`http://${host}:${port}/`, `http://${host}/`, `https://${host}:8443/`]) {
        asked.length = 0;
        assert.equal(
          await codeOf(Promise.resolve(definition.run({ url }, createTestScope()))),
          'policy.denied',
          url,
        );
      }
    }
    assert.equal(asked.length, 0);
  });

  test('a name that leads here is refused, also beside an address that is open', async () => {
    const ports = undefined;
    const url = `http://inside.test:${port}/`;
    for (const addresses of [
      ['127.0.0.1'],
      ['93.184.215.14', '127.0.0.1'],
      ['127.0.0.1', '93.184.215.14'],
      ['::1'],
    ]) {
      const resolve = async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      assert.equal(await codeOf(fetch({ url }, { reach: { ports, resolve } })), 'policy.denied');
    }
    assert.equal(asked.length, 0);
  });

  test('a name is resolved once, so that what was checked is what is connected to', async () => {
    send('a', 'text/plain');
    let count = 0;
    const resolve = async () => {
      count += 1;
      return [{ address: count === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    const output = await fetch(
      { url: `http://rebinding.test:${port}/` },
      { reach: { ...localReach, resolve } },
    );
    assert.equal(pageIn(output), 'a');
    assert.equal(count, 1);
  });

  test('redirects are followed on the same host and counted', async () => {
    answer((request, response) => {
      const count = Number(request.url?.slice(1));
      if (count === 0) response.setHeader('content-type', 'text/plain').end('here');
      else response.writeHead(302, { location: String(count - 1) }).end();
    });
    const output = await fetch({ url: `${origin}/5` });
    assert.equal(pageIn(output), 'here');
    assert.partialDeepStrictEqual(output, { value: { url: `${origin}/0` } });
    await assert.rejects(fetch({ url: `${origin}/6` }), /more than 5 times/);
  });

  test('every redirect is checked as the first address is', async () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const to = async (location: string): Promise<string> => {
      answer((_request, response) => void response.writeHead(301, { location }).end());
      return codeOf(
        fetch(
          { url: `http://a.test:${port}/` },
          { reach: { ...localReach, ports: new Set([port]), resolve } },
        ),
      );
    };
    assert.equal(await to('http://a.test:22/'), 'policy.denied');
    assert.equal(await to('http://user:password@a.test/'), 'policy.denied');
    assert.equal(await to('file:///etc/passwd'), 'skill.failed');
    assert.equal(await to('http://169.254.169.254/latest/meta-data/'), 'skill.failed');
    assert.equal(await to('http://['), 'skill.failed');
    assert.equal(asked.length, 1);
  });

  test('another host and a step down from https are not followed', () => {
    const from = new URL('https://example.com/a');
    assert.equal(followRedirect(from, '/b').href, 'https://example.com/b');
    assert.equal(followRedirect(from, 'https://www.example.com/').href, 'https://www.example.com/');
    assert.equal(followRedirect(new URL('http://example.com/'), 'https://example.com/').protocol, 'https:');
    assert.throws(() => followRedirect(from, 'http://example.com/'), { code: 'policy.denied' });
    assert.throws(() => followRedirect(from, 'https://evil.test/?x'), {
      code: 'skill.failed',
      message: 'https://example.com/a redirects to another host: https://evil.test/?x',
    });
  });
});
