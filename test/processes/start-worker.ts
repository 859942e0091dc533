import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openStore } from '../../src/config/storage/open-store.ts';
import type { RunEvent } from '../../src/core/event.ts';
import { idempotencyKeyOf } from '../../src/run/log/sanitize.ts';
import { bundled } from '../support/bundled.ts';
import type { WorkerLine, WorkerOrder } from './worker.ts';
import { sourceFile } from '../support/source-file.ts';

const program = await bundled(sourceFile('test/processes/worker.ts'));

type KeysOfUnion<Union> = Union extends Union ? keyof Union : never;
type Part = KeysOfUnion<WorkerLine>;

/** A working process. */
export interface Worker extends AsyncDisposable {
  readonly pid: number;
  readonly ended: Promise<WorkerEnd>;
  /** Resolves to the first line with this member. Rejects if the process exits without it. */
  line<Key extends Part>(key: Key): Promise<Extract<WorkerLine, Record<Key, unknown>>>;
  signal(name: NodeJS.Signals): void;
  /** Sends a line to its stdin. */
  proceed(): void;
}

/** The end of a process. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly WorkerLine[];
  readonly err: string;
}

/**
 * Starts a worker with these variables in addition to the environment. It is gone at the end of the scope.
 * Compiled code is kept for the next worker, in `cache` or in a folder that all tests share.
 */
export function startWorker(
  order: WorkerOrder,
  cache: string,
  environment: Readonly<Record<string, string>> = {},
): Worker {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: cache, ...process.env, ...environment },
  });
  const lines: WorkerLine[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  let err = '';
  let isOver = false;
  child.stderr.on('data', (text) => (err += String(text)));
  child.stdin.on('error', () => undefined); // it may exit before it receives anything
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line) as WorkerLine);
    wake();
  });
  const ended = once(child, 'close').then(([code, signal]): WorkerEnd => {
    isOver = true;
    wake();
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, lines, err };
  });
  return {
    pid: child.pid ?? 0,
    ended,
    line: <Key extends Part>(key: Key) =>
      new Promise<Extract<WorkerLine, Record<Key, unknown>>>((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => key in line);
          if (found !== undefined) resolve(found as Extract<WorkerLine, Record<Key, unknown>>);
          else if (isOver) reject(new Error(`The worker ended without "${key}". ${err}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    signal: (name) => void child.kill(name),
    proceed: () => void child.stdin.write('go\n'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL'); // this also works for a frozen process
      await ended;
    },
  };
}

/** An effect that happened. */
export interface Effect {
  readonly step: string;
  readonly key: string;
  readonly pid: number;
}

/** Returns the effects so far, in order. */
export function effectsIn(file: string): readonly Effect[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [step = '', key = '', pid = ''] = line.split(' ');
    return { step, key, pid: Number(pid) };
  });
}

/** Reads the log of a run as another process. */
export async function logOf(store: string, runId: string): Promise<readonly RunEvent[]> {
  const opened = await openStore(store);
  try {
    const events: RunEvent[] = [];
    for await (const event of opened.read(runId)) events.push(event);
    return events;
  } finally {
    await opened.close();
  }
}

/** Returns the idempotency keys of the steps that have started or ended according to a log. */
export function stepKeys(
  events: readonly RunEvent[],
  type: 'step.started' | 'step.ended',
): readonly string[] {
  return events.flatMap((event) => {
    if (event.type !== type || !('key' in event)) return [];
    return [idempotencyKeyOf(event.runId, event.frameId, event.key)];
  });
}

/** Checks what must be true of the log of every finished run, however often it was interrupted. */
export function checkLog(events: readonly RunEvent[]): void {
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
    'the log has gaps',
  );
  assert.deepEqual(twice(stepKeys(events, 'step.ended')), [], 'a step ended twice');
  const begun = framesOf(events, 'frame.started');
  assert.deepEqual(twice(begun), [], 'a frame began twice');
  assert.deepEqual(
    [...framesOf(events, 'frame.ended')].sort(),
    [...begun].sort(),
    'not every frame ended once',
  );
  assert.equal(events.filter(({ type }) => type === 'run.started').length, 1);
  assert.equal(events.filter(({ type }) => type === 'run.ended').length, 1);
  assert.equal(events.at(-1)?.type, 'run.ended');
}

function framesOf(events: readonly RunEvent[], type: RunEvent['type']): readonly string[] {
  return events.filter((event) => event.type === type).map(({ frameId }) => frameId);
}

function twice(keys: readonly string[]): readonly string[] {
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}
