// A process that starts runs of every kind, and shuts its agent down when all of them are working. It must
// then exit by itself.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { RunResult } from '../../src/core/run.ts';
import { carriers } from '../support/carriers.ts';
import { until } from '../support/deadline.ts';
import { effectsIn } from './start-worker.ts';
import {
  openRendezvous,
  kindsOfWork,
  lendPolicy,
  shutdownSkills,
  type Rendezvous,
} from './shutdown-skills.ts';

/** Instructions for the process. */
export interface ShutdownOrder {
  readonly store: string;
  readonly folder: string;
  /** The mark on the command line of every process that its skills start. */
  readonly mark: string;
  readonly modelUrl: string;
  /** The number of runs of each kind. */
  readonly each: number;
}

/** The report of the process before it exits. */
export interface ShutdownReport {
  readonly results: readonly RunResult[];
  /** The number of effects until the end of the shutdown. */
  readonly effects: number;
  /** The ids of skill processes that still existed. */
  readonly processes: readonly string[];
  /** The kinds of resources that were still open, without the pipes, because the process has its own. */
  readonly resources: readonly string[];
}

/** Creates an agent for the runs of an order. */
export function agentFor(order: ShutdownOrder, rendezvous: Rendezvous): RecursiveSkilledAgent {
  const agent = new RecursiveSkilledAgent({
    store: order.store,
    workspace: order.folder,
    models: ['office/large'],
    providers: { office: { baseUrl: `${order.modelUrl}/v1` } },
    policy: lendPolicy,
    embeddings: false,
  });
  for (const skill of shutdownSkills(rendezvous, order.mark)) agent.skills.register(skill);
  return agent;
}

if (process.argv[2] !== undefined) await work(JSON.parse(process.argv[2]) as ShutdownOrder);

async function work(order: ShutdownOrder): Promise<void> {
  const rendezvous = openRendezvous(order.folder);
  const agent = agentFor(order, rendezvous);
  const kinds = Object.entries(kindsOfWork);
  const handles = kinds.flatMap(([skill]) =>
    Array.from({ length: order.each }, (_, index) => agent.run({ skill, input: String(index) })),
  );
  const expected = kinds.reduce((sum, [, each]) => sum + each * order.each, 0);
  await until(() => rendezvous.arrivals() === expected, 'all are at work');
  await until(async () => {
    const waiting = await agent.runs.list({ status: ['waiting'] });
    return waiting.length === 2 * order.each;
  }, 'the others wait');
  writeFileSync(join(order.folder, 'leaving'), '');
  await agent.shutdown({ drainMs: 400 });
  const processes = carriers(order.mark);
  const effects = effectsIn(rendezvous.effects).length;
  for (let turns = 0; turns < 1_000 && openThings().length > 0; turns++) await turn(); // closed resources are released in a later iteration of the event loop
  const resources = openThings();
  const results = await Promise.all(handles.map(({ result }) => result));
  const report: ShutdownReport = { results, effects, processes, resources };
  process.stdout.write(JSON.stringify(report));
}

function openThings(): readonly string[] {
  return process.getActiveResourcesInfo().filter((resource) => resource !== 'PipeWrap');
}
