import { join } from 'node:path';
import { defineSkill, RecursiveSkilledAgent } from '../src/index.ts';
import type { Row } from './measure.ts';

const steps = 1_000;

/** Measures the cost of the journal in SQLite, both for one step and for resuming a run with many steps. */
export async function journal(folder: string): Promise<readonly Row[]> {
  const file = join(folder, 'journal.db');
  const times: number[] = [];
  const id = await writeRun(file, times);
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? NaN;
  const p95 = times[Math.floor(times.length * 0.95)] ?? NaN;
  const resumed: number[] = [];
  for (let round = 0; round < 5; round++) resumed.push(await resume(file, id));
  resumed.sort((a, b) => a - b);
  return [
    {
      id: 'S1',
      what: `one journalled step, ${steps} in a row, SQLite`,
      figure: `p50 ${median.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`,
      target: '≤ 2 ms p95',
      met: p95 <= 2,
    },
    {
      id: 'S2',
      what: `a run of ${steps} steps taken up again, opening the store included`,
      figure: `${(resumed[2] ?? NaN).toFixed(0)} ms (min ${(resumed[0] ?? NaN).toFixed(0)} ms)`,
      target: '≤ 500 ms',
      met: (resumed[2] ?? NaN) <= 500,
    },
  ];
}

/** Starts a run that performs its steps and then waits for the user. */
async function writeRun(file: string, times: number[]): Promise<string> {
  await using agent = agentOn(file, times);
  const { id, result } = agent.run({ skill: 'long' });
  await result;
  return id;
}

/** Returns the time, in milliseconds, until the run waits again after replaying all of its steps. */
async function resume(file: string, id: string): Promise<number> {
  const replayed: number[] = [];
  const start = performance.now();
  await using agent = agentOn(file, replayed);
  await agent.runs.answer(id, 'yes');
  await agent.runs.resume(id).result;
  if (replayed.length !== steps) throw new Error(`${replayed.length} steps were replayed`);
  return performance.now() - start;
}

function agentOn(store: string, times: number[]): RecursiveSkilledAgent {
  const agent = new RecursiveSkilledAgent({ store });
  agent.skills.register(
    defineSkill({
      name: 'long',
      description: 'Does many steps.',
      async run(_input, scope) {
        for (let step = 0; step < steps; step++) {
          const start = performance.now();
          await scope.step(`s${step}`, () => ({ step, text: 'x'.repeat(100) }));
          times.push(performance.now() - start);
        }
        while ((await scope.ask('Once more?')) === 'yes');
        return { status: 'done', text: '' };
      },
    }),
  );
  return agent;
}
