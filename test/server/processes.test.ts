import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { settled, until } from '../support/deadline.ts';
import { installedMain } from '../support/installed.ts';
import { tree, type Tree } from '../support/tree.ts';

interface Served {
  readonly url: string;
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
}

const bundle = 'home/.agents/skills/slow';
const files = {
  'project/README.md': '',
  [`${bundle}/cskill.md`]:
    '# slow\n\n## Description\n\nWaits for some milliseconds.\n\n## Input Format\n\n```json\n{ "type": "object", "properties": { "ms": { "type": "number" } } }\n```\n',
  [`${bundle}/src/index.ts`]: `export async function action(input: { ms: number }): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, input.ms));
  return 'waited';
}
`,
};

async function serve(folder: Tree, command: string, ...flags: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [installedMain, command, '--json', ...flags], {
    cwd: folder.at('project'),
    env: { PATH: process.env['PATH'], HOME: folder.at('home') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const lines = child.stdout.setEncoding('utf8');
  let text = '';
  while (!text.includes('}')) text += ((await settled(once(lines, 'data'))) as [string])[0];
  return { url: (JSON.parse(text) as { url: string }).url, process: child, ended };
}

async function start({ url }: Served, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function textAt(response: Response): Promise<string> {
  return ((await response.json()) as { readonly text: string }).text;
}

const slow = (ms: number, more: object = {}): object => ({ skill: 'slow', input: { ms }, ...more });

/** Reads a stream until it ends or the server dies. Returns the ids, and whether the run has ended. */
async function follow(
  { url }: Served,
  id: string,
  after: number,
): Promise<{ ids: number[]; isOver: boolean }> {
  let text = '';
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
    const { body } = await fetch(`${url}/v1/runs/${id}/events`, { headers });
    const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    for await (const chunk of reader) text += chunk;
  } catch {
    // The server was killed.
  }
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2); // The last event may be cut off.
  const ids = [...whole.matchAll(/^id: (\d+)$/gm)].map(([, one]) => Number(one));
  return { ids, isOver: whole.includes('event: run.ended') };
}

describe('skilled serve and skilled dev as processes', () => {
  test('a run over HTTP; dev takes the next port; SIGTERM lets runs end and refuses others', async () => {
    using folder = tree(files);
    const first = await serve(folder, 'serve', '--port', '0');
    const { port } = new URL(first.url);
    const second = await serve(folder, 'dev', '--port', port);
    try {
      assert.ok(Number(new URL(second.url).port) > Number(port), second.url);
      assert.equal(await textAt(await start(second, slow(1, { wait: true }))), 'waited');
      const waiting = start(first, slow(2_000, { wait: true }));
      await until(async () => {
        const list = await fetch(`${first.url}/v1/runs?status=running`);
        return ((await list.json()) as { readonly data: readonly unknown[] }).data.length > 0;
      });
      first.process.kill('SIGTERM');
      await until(async () => (await fetch(`${first.url}/readyz`)).status === 503);
      const refused = await start(first, slow(1));
      assert.deepEqual([refused.status, refused.headers.has('retry-after')], [503, true]);
      assert.equal(await textAt(await settled(waiting)), 'waited');
      assert.equal(await settled(first.ended), 0);
      second.process.kill('SIGTERM');
      assert.equal(await settled(second.ended), 0);
    } finally {
      for (const { process: one } of [first, second]) one.kill('SIGKILL');
    }
  });

  test('kill -9 in the middle of streams: the next process continues the runs and the streams', async () => {
    using folder = tree(files);
    const first = await serve(folder, 'serve', '--port', '0');
    const started = await Promise.all(Array.from({ length: 4 }, () => start(first, slow(1_500))));
    const ids = await Promise.all(started.map(async (one) => ((await one.json()) as { id: string }).id));
    const streams = ids.map((id) => follow(first, id, 0));
    await new Promise((resolve) => setTimeout(resolve, 300));
    first.process.kill('SIGKILL');
    const before = await settled(Promise.all(streams));
    const second = await serve(folder, 'serve', '--port', '0');
    try {
      const after = await settled(
        Promise.all(ids.map((id, index) => follow(second, id, before[index]?.ids.at(-1) ?? 0))),
      );
      for (const [index, { ids: more, isOver }] of after.entries()) {
        const all = [...(before[index]?.ids ?? []), ...more];
        assert.deepEqual(
          all,
          Array.from(all, (_, at) => at + 1),
        );
        assert.ok(isOver || before[index]?.isOver === true);
        assert.equal(await textAt(await fetch(`${second.url}/v1/runs/${ids[index] ?? ''}`)), 'waited');
      }
    } finally {
      second.process.kill('SIGKILL');
    }
  });
});
