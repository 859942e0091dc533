// Takes two shares: its rounds are long.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { settled } from '../support/deadline.ts';
import { defineSkill, openServerStage, type ServerStage } from '../support/server-stage.ts';
import { openLoops } from '../stress/stress.ts';
import { killDuringRuns } from './kill-server.ts';

const { createLoop } = openLoops(import.meta);
const notes = 100;

const chatter = defineSkill({
  name: 'chatter',
  description: 'Reports progress.',
  run: async (_input, scope) => {
    for (let count = 1; count <= notes; count += 1) {
      scope.note(`note ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { status: 'done', text: 'said' };
  },
});

function open(): Promise<ServerStage> {
  return openServerStage({ keys: false, maxRuns: 200 }, { skills: [chatter] });
}

/** Reads a stream to its end and checks that it has every event once. */
async function readAll(response: Response, from = 1): Promise<number> {
  assert.equal(response.status, 200);
  let text = '';
  for await (const part of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()))
    text += part;
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  assert.deepEqual(
    ids,
    Array.from(ids, (_, at) => at + from),
  );
  assert.match(text, /event: run\.ended/);
  return ids.length;
}

async function start(stage: ServerStage, more: object = {}): Promise<Response> {
  return await fetch(`${stage.url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ skill: 'chatter', input: null, ...more }),
  });
}

/** Does work, and reports the most memory that the process had, clients included. */
async function watched(t: TestContext, what: string, work: () => Promise<number>): Promise<void> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 50);
  const events = await work();
  clearInterval(timer);
  const used = Math.round((most - before) / 2 ** 20);
  t.diagnostic(`${what}: ${events} events, ${used} MiB more`);
  assert.ok(used < 1_000, `${used} MiB`);
}

const followers = createLoop({ small: 50, full: 1_000 });
test('followers of one run, of whom half break off and come back, miss and repeat nothing', async (t) => {
  await followers.sizes(async (count) => {
    await using stage = await open();
    const { id } = (await (await start(stage)).json()) as { readonly id: string };
    const follow = async (index: number): Promise<number> => {
      const url = `${stage.url}/v1/runs/${id}/events`;
      const headers = { accept: 'text/event-stream' };
      if (index % 2 === 0) return await readAll(await fetch(url, { headers }));
      const stop = new AbortController();
      const first = await fetch(url, { headers, signal: stop.signal });
      const reader = (first.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      const shown = new TextDecoder().decode(value);
      const ids = [...shown.matchAll(/^id: (\d+)\n[^]*?\n\n/gm)];
      const last = Number(ids.at(-1)?.[1] ?? 0);
      await reader.cancel();
      stop.abort();
      if (shown.includes('event: run.ended')) return last;
      const again = { ...headers, 'last-event-id': String(last) };
      return last + (await readAll(await fetch(url, { headers: again }), last + 1));
    };
    await watched(t, `${count} followers`, async () => {
      const seen = await settled(Promise.all(Array.from({ length: count }, (_, index) => follow(index))));
      assert.equal(new Set(seen).size, 1);
      return seen.reduce((sum, one) => sum + one, 0);
    });
  });
});

const concurrent = createLoop({ small: 20, full: 200 });
test('concurrent streamed runs lose nothing, and one more than allowed is refused', async (t) => {
  await concurrent.sizes(async (count) => {
    await using stage = await open();
    await watched(t, `${count} runs`, async () => {
      const streams = await Promise.all(Array.from({ length: count }, () => start(stage, { stream: true })));
      if (count === 200) assert.ok([429, 503].includes((await start(stage)).status));
      const seen = await settled(Promise.all(streams.map((one) => readAll(one))));
      return seen.reduce((sum, one) => sum + one, 0);
    });
  });
});

const kills = createLoop({ small: 10, full: 50 });
test('kill -9 in the middle of streamed runs', async () => {
  await kills.sizes((count) => killDuringRuns(count));
});

const floods = createLoop({ small: 100, full: 5_000 });
test('a key that floods the server is refused, and another key is served', async () => {
  await floods.sizes(async (count) => {
    await using stage = await openServerStage();
    const rate = { perMinute: 1, burst: 10 };
    const [loud, calm] = await Promise.all([
      stage.clientFor({ name: 'loud', user: 'a', rate }),
      stage.clientFor({ name: 'calm', user: 'b' }),
    ]);
    const statuses: number[] = [];
    for (let sent = 0; sent < count; sent += 50) {
      const flood = Array.from({ length: 50 }, async () => (await loud.call('listRuns')).status);
      const [mine] = await Promise.all([calm.call('listRuns'), ...flood]);
      assert.equal(mine.status, 200);
      statuses.push(...(await Promise.all(flood)));
    }
    assert.equal(statuses.filter((status) => status === 200).length, 10);
    assert.ok(statuses.every((status) => status === 200 || status === 429));
  });
});

const slow = createLoop({ small: 20, full: 1_000 });
test('clients that never finish their headers are cut off, and others are served', async () => {
  await slow.sizes(async (count) => {
    await using stage = await open();
    const { port, hostname } = new URL(stage.url);
    const closed = Array.from({ length: count }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined).resume();
      socket.write('GET /v1/skills HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ');
      const timer = setInterval(() => socket.write('a'), 1_000);
      return new Promise<void>((resolve) => {
        socket.on('close', () => {
          clearInterval(timer);
          resolve();
        });
      });
    });
    assert.equal((await fetch(`${stage.url}/v1/skills`)).status, 200);
    await settled(Promise.all(closed));
  });
});
