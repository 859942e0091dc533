import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { RecursiveSkilledAgent } from '../src/index.ts';
import { effectsIn, startWorker, type Worker } from '../test/processes/start-worker.ts';
import { until } from '../test/support/deadline.ts';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import { timingOf, type Row } from './measure.ts';

const rounds = 5;

/**
 * Measures for how long work blocks the event loop, and how soon a process notices that a run was cancelled.
 */
export async function responsiveness(workload: Workload, folder: string): Promise<readonly Row[]> {
  return [await indexing(workload), await sharedStore(folder), await cancelling(folder)];
}

/** Measures the longest time for which the event loop is blocked while the skills are indexed for ranking. */
async function indexing({ name, root }: Workload): Promise<Row> {
  const { skills } = agentOn(root, { embeddings: false });
  skills.snapshot();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await skills.rank('report');
  delays.disable();
  return gapRow(`longest pause of the event loop while ${name} skills are indexed`, delays.max / 1e6);
}

// Starts measuring at the first line on stdin, which is sent when all code has been loaded.
const monitor = `import { monitorEventLoopDelay } from 'node:perf_hooks';
const delays = monitorEventLoopDelay({ resolution: 1 });
process.stdin.once('data', () => delays.enable());
process.on('exit', () => process.stderr.write(String(delays.max / 1e6)));`;

/**
 * Repeats the measurement with two processes that write to one SQLite file. Neither may block while it waits
 * for the other's lock.
 */
async function sharedStore(folder: string): Promise<Row> {
  const run = { skill: 'lanes', input: { lanes: 3, steps: 100, stepMs: 1 } };
  const order = { store: join(folder, 'shared.db'), effects: '', run, times: 5 };
  const begin = (): Worker =>
    startWorker(order, join(folder, 'compiled'), {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(monitor)}`,
    });
  await using one = begin();
  await using other = begin();
  await Promise.all([one.line('ready'), other.line('ready')]);
  for (const worker of [one, other]) worker.proceed();
  const ends = await Promise.all([one.ended, other.ended]);
  const what = 'longest pause of the event loops of two processes with one SQLite file';
  return gapRow(what, Math.max(...ends.map(({ err }) => Number(err))));
}

function gapRow(what: string, milliseconds: number): Row {
  const figure = `${milliseconds.toFixed(0)} ms`;
  return { id: 'L1', what, figure, target: '≤ 100 ms', met: milliseconds <= 100 };
}

/**
 * Measures the time from the call that cancels a run until the process that executes the run has ended it.
 */
async function cancelling(folder: string): Promise<Row> {
  const store = join(folder, 'cancelled.db');
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const effects = join(folder, `cancelled-${round}`);
    const run = { skill: 'hang', input: { listens: false } };
    await using worker = startWorker({ store, effects, run }, join(folder, 'compiled'));
    await using agent = new RecursiveSkilledAgent({ store, embeddings: false });
    const { id } = await worker.line('id');
    await until(() => effectsIn(effects).length === 1);
    const start = performance.now();
    await agent.runs.cancel(id);
    await worker.line('result');
    times.push(performance.now() - start);
  }
  const { median, min } = timingOf(times);
  return {
    id: 'L2',
    what: 'a run in another process that is cancelled from here, until that has ended it',
    figure: `${median.toFixed(0)} ms (min ${min.toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms)`,
    target: '≤ 1 s',
    met: Math.max(...times) <= 1_000,
  };
}
