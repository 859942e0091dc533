import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { defineSkill, RecursiveSkilledAgent } from '../src/index.ts';
import { createServer } from '../src/server/index.ts';
import { processorTime, type Row } from './measure.ts';

const requests = 400;
const target = 3; // Milliseconds.

/** H1: compares runs over HTTP, with keep-alive, with the same runs through the library. SQLite on disk. */
export async function httpRequests(folder: string): Promise<readonly Row[]> {
  const echo = defineSkill({
    name: 'echo',
    description: 'Gives back what it gets.',
    run: () => ({ status: 'done', text: 'x' }),
  });
  const models = { model: () => undefined };
  const store = join(folder, 'requests.db');
  await using agent = new RecursiveSkilledAgent({ store, skills: [echo], embeddings: false, models });
  await using server = createServer(agent);
  const { url } = await server.listen();
  const body = JSON.stringify({ skill: 'echo', input: 'x', wait: true });
  const headers = { 'content-type': 'application/json' };
  const times: Record<'http' | 'library', number[]> = { http: [], library: [] };
  const cpu: Record<'http' | 'library', number> = { http: 0, library: 0 };
  const ways = {
    async http() {
      const response = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body });
      if (((await response.json()) as { ok?: boolean }).ok !== true) throw new Error(String(response.status));
    },
    async library() {
      const session = `bench-${times.library.length}`; // Each request has a session of its own, too.
      if (!(await agent.run({ skill: 'echo', input: 'x', session }).result).ok) throw new Error('failed');
      await agent.deleteSession(session);
    },
  };
  for (let count = 0; count < 50; count += 1) for (const way of Object.values(ways)) await way();
  for (const own of Object.values(times)) own.length = 0;
  for (let count = 0; count < requests; count += 1)
    for (const name of ['http', 'library'] as const) {
      const before = processorTime();
      const start = performance.now();
      await ways[name]();
      times[name].push(performance.now() - start);
      cpu[name] += processorTime() - before;
    }
  const added = (part: number): number => at(times.http, part) - at(times.library, part);
  return [
    {
      id: 'H1',
      what: 'a run over HTTP, beyond the same run through the library',
      figure: `p50 ${added(0.5).toFixed(2)} ms, p95 ${added(0.95).toFixed(2)} ms`,
      target: `< ${target} ms`,
      met: added(0.5) < target,
    },
    {
      id: 'H1',
      what: 'the same in CPU time, with the client',
      figure: `${((cpu.http - cpu.library) / requests).toFixed(2)} ms (${(cpu.http / requests).toFixed(2)} against ${(cpu.library / requests).toFixed(2)} ms)`,
    },
  ];
}

function at(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * part)] ?? NaN;
}

/** The part of an event that the measurement reads. */
interface Note {
  readonly type: string;
  readonly message?: string;
}

const followers = 100;
const ticks = 200;

/** H2: the time from an event of a run to its followers over HTTP. */
export async function eventLatency(folder: string): Promise<readonly Row[]> {
  const clock = defineSkill({
    name: 'clock',
    description: 'Says what time it is.',
    run: async (_input, scope) => {
      await setTimeout(300); // The followers connect.
      for (let tick = 0; tick < ticks; tick += 1) {
        scope.note(String(performance.now()));
        await setTimeout(10);
      }
      return { status: 'done', text: 'x' };
    },
  });
  const models = { model: () => undefined };
  const store = join(folder, 'latency.db');
  await using agent = new RecursiveSkilledAgent({ store, skills: [clock], embeddings: false, models });
  await using server = createServer(agent);
  const { url } = await server.listen();
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ skill: 'clock', input: 'x' }),
  });
  const { id } = (await response.json()) as { id?: string };
  const late: number[] = [];
  const note = (event: Note): void => {
    if (event.type === 'note.added') late.push(performance.now() - Number(event.message));
  };
  const readHttp = async (): Promise<void> => {
    const { body, status } = await fetch(`${url}/v1/runs/${id}/events`, {
      headers: { accept: 'text/event-stream' },
    });
    if (status !== 200) throw new Error(String(status));
    let rest = '';
    for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) note(JSON.parse(line.slice(6)) as Note);
    }
  };
  await Promise.all(Array.from({ length: followers }, readHttp));
  const text = (part: number): string => `${at(late, part).toFixed(2)} ms`;
  return [
    {
      id: 'H2',
      what: `an event at ${followers} followers over HTTP, ${late.length} received`,
      figure: `p50 ${text(0.5)}, p95 ${text(0.95)}`,
      target: `${followers * ticks} events`,
      met: late.length === followers * ticks,
    },
  ];
}
