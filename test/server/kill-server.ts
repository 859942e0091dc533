import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { settled } from '../support/deadline.ts';
import { installedPackage } from '../support/installed.ts';
import { tree } from '../support/tree.ts';

const entry = (name: string): string => pathToFileURL(join(installedPackage, 'dist', name)).href;

// Serves a skill whose 20 steps each write a line to a file, so that a repeated step is seen.
const program = `
import { appendFileSync } from 'node:fs';
import { RecursiveSkilledAgent, defineSkill } from '${entry('index.js')}';
import { createServer } from '${entry('server.js')}';
const [store, effects] = process.argv.slice(2);
const skill = defineSkill({ name: 'work', description: 'Works.', run: async (input, scope) => {
  for (let step = 1; step <= 20; step += 1)
    await scope.step('s' + step, async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      appendFileSync(effects, input + ' ' + step + '\\n');
      return step;
    });
  return { status: 'done', text: 'worked' };
} });
const agent = new RecursiveSkilledAgent({ store, skills: [skill], embeddings: false, models: { model: () => undefined } });
const { url } = await createServer(agent).listen();
console.log(url);
`;

interface Serving {
  readonly url: string;
  readonly process: ChildProcess;
}

async function serve(script: string, store: string, effects: string): Promise<Serving> {
  const child = spawn(process.execPath, [script, store, effects], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await settled(once(child.stdout, 'data'))) as [Buffer];
  return { url: line.toString().trim(), process: child };
}

/** Reads a stream until it ends or the server dies. Returns the ids, and whether the run has ended. */
async function follow(
  url: string,
  id: string,
  after: number,
): Promise<{ ids: readonly number[]; isOver: boolean }> {
  let text = '';
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
    const { body } = await fetch(`${url}/v1/runs/${id}/events`, { headers });
    const decoder = new TextDecoder();
    for await (const chunk of body as ReadableStream<Uint8Array>)
      text += decoder.decode(chunk, { stream: true });
  } catch {
    // The server was killed.
  }
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2); // The last event may be cut off.
  const ids = [...whole.matchAll(/^id: (\d+)$/gm)].map(([, one]) => Number(one));
  return { ids, isOver: whole.includes('event: run.ended') };
}

/** Kills a server in the middle of streamed runs, continues on another one, and checks that nothing is lost. */
export async function killDuringRuns(count: number): Promise<void> {
  using folder = tree({ 'serve.mjs': program });
  const [store, effects] = [folder.at('runs.db'), folder.at('effects.txt')];
  const first = await serve(folder.at('serve.mjs'), store, effects);
  const headers = { 'content-type': 'application/json' };
  const runs = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const body = JSON.stringify({ skill: 'work', input: `run${index}` });
      const response = await fetch(`${first.url}/v1/runs`, { method: 'POST', headers, body });
      return ((await response.json()) as { readonly id: string }).id;
    }),
  );
  const streams = runs.map((id) => follow(first.url, id, 0));
  await new Promise((resolve) => setTimeout(resolve, 100));
  first.process.kill('SIGKILL');
  const before = await settled(Promise.all(streams));
  const second = await serve(folder.at('serve.mjs'), store, effects);
  try {
    const after = await settled(
      Promise.all(runs.map((id, index) => follow(second.url, id, before[index]?.ids.at(-1) ?? 0))),
    );
    for (const [index, { ids, isOver }] of after.entries()) {
      const all = [...(before[index]?.ids ?? []), ...ids];
      assert.deepEqual(
        all,
        Array.from(all, (_, at) => at + 1),
      );
      assert.ok(isOver || before[index]?.isOver === true, runs[index]);
      const run = await fetch(`${second.url}/v1/runs/${runs[index] ?? ''}`);
      assert.equal(((await run.json()) as { readonly text: string }).text, 'worked');
    }
    const lines = readFileSync(effects, 'utf8').trim().split('\n');
    // Only the step that was in progress when the process died may run again.
    assert.ok(new Set(lines).size === 20 * count && lines.length <= 21 * count, String(lines.length));
  } finally {
    second.process.kill('SIGKILL');
  }
}
