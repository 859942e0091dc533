// The worker process of these tests. It works on runs as instructed, and prints the outcomes line by line.
import { once } from 'node:events';
import type { AgentOptions } from '../../src/agent/options.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { openStore } from '../../src/config/storage/open-store.ts';
import type { RunHandle } from '../../src/core/event.ts';
import type { RunRequest, RunResult } from '../../src/core/run.ts';
import type { Store } from '../../src/core/store.ts';
import { thinkingSkills } from './thinking-skills.ts';
import { workerSkills } from './worker-skills.ts';

/** Instructions for a worker. */
export interface WorkerOrder {
  /** The path of an SQLite file or a postgres:// address. */
  readonly store: string;
  /** The file with one line per effect. Empty if the skill needs none. */
  readonly effects: string;
  /** A run to start, or the id of one to resume. */
  readonly run:
    | string
    | Pick<RunRequest, 'skill' | 'prompt' | 'input' | 'session' | 'mode' | 'assistant' | 'toAssistant'>;
  /** Further options for its agent. */
  readonly options?: Pick<
    AgentOptions,
    'models' | 'providers' | 'workspace' | 'additionalSkillRoots' | 'only'
  >;
  /** The number of runs to start at once, after a warm-up and a line on stdin. */
  readonly times?: number;
  /** Kills itself with SIGKILL at this append, counted from 1. */
  readonly kill?: { readonly at: number; readonly when: 'before' | 'after' };
}

/** A line of output: first the id of the run, then that the log has started, then the outcome of the run. */
export type WorkerLine =
  | { readonly id: string }
  | { readonly begun: true }
  | { readonly ready: true }
  | { readonly result: RunResult; readonly appends: number }
  | { readonly results: readonly RunResult[]; readonly appends: number };

if (process.argv[2] !== undefined) await work(JSON.parse(process.argv[2]) as WorkerOrder);

async function work(order: WorkerOrder): Promise<void> {
  const store = await openStore(order.store);
  const { counted, appends } = countAppends(store, order.kill);
  const agent = new RecursiveSkilledAgent({ store: counted, embeddings: false, ...order.options });
  for (const skill of [...workerSkills(order.effects), ...thinkingSkills(order.effects)])
    agent.skills.register(skill);
  if (order.times === undefined) {
    const handle = begin(agent, order);
    say({ id: handle.id });
    void sayBegun(handle);
    const result = await handle.result;
    say({ result, appends: appends() });
  } else {
    await begin(agent, order).result;
    say({ ready: true });
    await once(process.stdin, 'data');
    const handles = Array.from({ length: order.times }, () => begin(agent, order));
    const results = await Promise.all(handles.map(({ result }) => result));
    say({ results, appends: appends() });
    process.stdin.destroy();
  }
  await agent.shutdown();
  await store.close();
}

function begin(agent: RecursiveSkilledAgent, { run }: WorkerOrder): RunHandle {
  return typeof run === 'string' ? agent.runs.resume(run, { takeOver: true }) : agent.run(run);
}

async function sayBegun({ events }: RunHandle): Promise<void> {
  const { done } = await events[Symbol.asyncIterator]().next();
  if (done !== true) say({ begun: true });
}

function say(line: WorkerLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Wraps a store to count its appends and to kill the process where instructed. */
function countAppends(store: Store, kill: WorkerOrder['kill']): { counted: Store; appends: () => number } {
  let appends = 0;
  const dieAt = (position: number, when: 'before' | 'after'): void => {
    if (kill?.at === position && kill.when === when) process.kill(process.pid, 'SIGKILL');
  };
  const append: Store['append'] = async (...given) => {
    appends += 1;
    const position = appends;
    dieAt(position, 'before');
    const last = await store.append(...given);
    dieAt(position, 'after');
    return last;
  };
  return { counted: { ...store, append }, appends: () => appends };
}
