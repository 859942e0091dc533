import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { defineSkill, loopOutput, RecursiveSkilledAgent, runLoop } from '../src/index.ts';
import type { Model } from '../src/core/model.ts';
import { createScriptedModel } from '../src/models/scripted.ts';
import { timingOf, type Row, type Timing } from './measure.ts';
import { settledMemory } from './settled-memory.ts';

const sessions = 1_000;
const turns = 3; // per session
const rounds = 5;

/**
 * S3: compares the throughput of many concurrent sessions with that of the same sessions in sequence, using a
 * model that answers immediately. Also measures the memory of an idle session. The measured time is CPU time,
 * which does not depend on other processes.
 */
export async function manySessions(folder: string): Promise<readonly Row[]> {
  await converse(1); // loads and compiles all code
  const [one, many]: [ProcessorTime[], ProcessorTime[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    one.push(await processorTime(() => converse(1)));
    many.push(await processorTime(() => converse(sessions)));
  }
  const whose = (who: keyof ProcessorTime) =>
    compare(timingOf(many.map((time) => time[who])), timingOf(one.map((time) => time[who])));
  const all = whose('all');
  const [inSqlite, whole] = [heldPerSession(join(folder, 'sessions.db')), heldPerSession('')];
  return [
    {
      id: 'S3',
      what: `throughput of ${sessions} sessions at once against one at a time, ${turns} turns each`,
      figure: all.figure,
      target: '≥ 0.8 ×',
      met: all.ratio >= 0.8,
    },
    {
      id: 'S3',
      what: 'the same without the threads that collect garbage beside it',
      figure: whose('main').figure,
    },
    {
      id: 'S3',
      what: `memory for each of ${sessions} idle sessions, kept in SQLite`,
      figure: `${(inSqlite / 1024).toFixed(1)} KB`,
      target: '≤ 20 KB',
      met: inSqlite <= 20 * 1024,
    },
    {
      id: 'S3',
      what: 'the same in memory, with all that the store keeps of its turn',
      figure: `${(whole / 1024).toFixed(1)} KB`,
    },
  ];
}

/** The CPU time of the entire process and of its main thread, in milliseconds. */
interface ProcessorTime {
  readonly all: number;
  readonly main: number;
}

async function processorTime(work: () => Promise<void>): Promise<ProcessorTime> {
  globalThis.gc?.();
  const [all, main] = [process.cpuUsage(), process.threadCpuUsage()];
  await work();
  return { all: total(process.cpuUsage(all)), main: total(process.threadCpuUsage(main)) };
}

function total({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1_000;
}

function compare(many: Timing, one: Timing): { readonly ratio: number; readonly figure: string } {
  const [median, min] = [one.median / many.median, one.min / many.min];
  const perTurn = (time: Timing): string => (time.median / (sessions * turns)).toFixed(2);
  return {
    ratio: Math.max(median, min),
    figure: `${median.toFixed(2)} × (min ${min.toFixed(2)} ×; ${perTurn(many)} against ${perTurn(one)} ms a turn)`,
  };
}

/** Runs all turns of all sessions, at most `atOnce` sessions at a time. */
async function converse(atOnce: number): Promise<void> {
  await using agent = openAgent('');
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < sessions; index = next++)
      for (let turn = 0; turn < turns; turn++) await say(agent, `session ${index}`);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** A model that answers immediately and does not store its requests. */
const forgetful: Model = {
  id: 'instant/model',
  stream: (request, signal) => createScriptedModel(() => 'Done.').stream(request, signal),
};

async function say(agent: RecursiveSkilledAgent, sessionId: string): Promise<void> {
  const { ok, text } = await agent.executePrompt('Go on.', { skillName: 'think', context: { sessionId } });
  if (!ok || text !== 'Done.') throw new Error(text);
}

function openAgent(store: string): RecursiveSkilledAgent {
  const agent = new RecursiveSkilledAgent({
    models: forgetful,
    embeddings: false,
    ...(store === '' ? {} : { store }),
  });
  agent.skills.register(
    defineSkill({
      name: 'think',
      description: 'Thinks.',
      allowedSkills: [],
      run: async (_input, scope) => loopOutput(await runLoop(scope, { prompt: 'Go.' })),
    }),
  );
  return agent;
}

function heldPerSession(store: string): number {
  const script = `import { measureSessions } from ${JSON.stringify(import.meta.filename)};
process.stdout.write(String(await measureSessions(${JSON.stringify(store)})));`;
  const flags = ['--expose-gc', '--input-type=module', '-e', script];
  return Number(execFileSync(process.execPath, flags, { encoding: 'utf8' }));
}

/** Performs the measurement in a separate process. Returns the bytes per session after one turn. */
export async function measureSessions(store: string): Promise<number> {
  await using agent = openAgent(store);
  for (let index = 0; index < 100; index++) await say(agent, `early ${index}`); // loads and compiles all code
  const before = await held();
  for (let index = 0; index < sessions; index++) await say(agent, `session ${index}`);
  return ((await held()) - before) / sessions;
}

async function held(): Promise<number> {
  const { heapUsed, external } = await settledMemory();
  return heapUsed + external;
}
