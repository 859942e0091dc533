// A process of these tests: works on runs as it is told and says on stdout, line by line, what comes of it.
import { once } from 'node:events';
import type { AgentOptions } from '../../src/agent/options.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { openStore } from '../../src/config/storage/open-store.ts';
import type { RunHandle } from '../../src/core/event.ts';
import type { RunRequest, RunResult } from '../../src/core/run.ts';
import type { Store } from '../../src/core/store.ts';
import { thinkingSkills } from './thinking-skills.ts';
import { workerSkills } from './worker-skills.ts';

/** What a worker is told to do. */
export interface WorkerOrder {
  /** The path of an SQLite file or a postgres:// address. */
  readonly store: string;
  /** The file that its effects are lines of; empty for none where the skill allows it. */
  readonly effects: string;
  /** A run to begin, or the id of one to take over. */
  readonly run: string | Pick<RunRequest, 'skill' | 'prompt' | 'input' | 'session' | 'mode'>;
  /** What its agent is given beside the store. */
  readonly options?: Pick<AgentOptions, 'models' | 'providers' | 'workspace' | 'additionalSkillRoots'>;
  /** Begins so many runs at once, after a warm-up and a line on stdin. */
  readonly times?: number;
  /** Ends itself the hardest way at this append, counted from 1. */
  readonly kill?: { readonly at: number; readonly when: 'before' | 'after' };
}

/** One line of a worker: the id of its run first, then that the log has begun, then what the run came to. */
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

/** The same store, which counts its appends and ends the process where it is told to. */
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
