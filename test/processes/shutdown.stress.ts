// Takes two shares: its rounds are long.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { RunEvent } from '../../src/core/event.ts';
import { hasEnded, type RunResult } from '../../src/core/run.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedScript } from '../../src/testing/model-server/script.ts';
import { openLoops } from '../stress/stress.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { settled } from '../support/deadline.ts';
import { agentFor, type ShutdownOrder, type ShutdownReport } from './shutdown-worker.ts';
import { openRendezvous, kindsOfWork, type Rendezvous } from './shutdown-skills.ts';
import { checkLog, effectsIn, stepKeys } from './start-worker.ts';
import { sharedStores } from './stores.ts';
import { sourceFile } from '../support/source-file.ts';

const { createLoop, size } = openLoops(import.meta);
const { folder, kinds } = await sharedStores();
const program = sourceFile('test/processes/shutdown-worker.ts');
const each = size({ small: 2, full: 5 }); // runs of each of the ten kinds of work

for (const kind of kinds) {
  const loop = createLoop({ small: 1, full: 2 });
  test(
    `${kind.name}: an agent with many runs of every kind is shut down: nothing is left, and all end elsewhere`,
    { skip: kind.skip || withoutBubblewrap },
    async () => {
      await loop.rounds(async ({ number: round }) => {
        const label = `shutdown-${kind.name}-${round}`;
        mkdirSync(folder.at(label));
        const rendezvous = openRendezvous(folder.at(label));
        await using server = await openModelServer(modelOver(rendezvous));
        const order: ShutdownOrder = {
          store: kind.locate(label),
          folder: rendezvous.folder,
          mark: randomUUID(),
          modelUrl: server.url,
          each,
        };
        const report = await shutDownElsewhere(order);
        assert.deepEqual(report.processes, [], 'processes are left');
        assert.deepEqual(report.resources, [], 'something is left open');
        assert.equal(
          effectsIn(rendezvous.effects).length,
          report.effects,
          'there were effects after the shutdown',
        );
        assert.equal(report.results.length, each * Object.keys(kindsOfWork).length);
        for (const { skill, status, error } of report.results) {
          const outcome = [status, error?.code].join(' ').trim();
          const isRight =
            outcome === (ends[skill] ?? interrupted) || (skill === 'late' && outcome === interrupted);
          assert.ok(isRight, `${skill} is ${outcome}`);
        }
        await resumeRuns(order, rendezvous, report.results);
      });
    },
  );
}

const interrupted = 'running usage.cancelled';

/** The status of work after the shutdown, unless it was interrupted. On a slow machine, late work may be. */
const ends: Readonly<Record<string, string>> = { ask: 'waiting', borrow: 'waiting', late: 'done' };

/** A model that records the request, and then answers slowly until the meeting point is opened. */
function modelOver(rendezvous: Rendezvous): ServedScript {
  return ({ body }, turn) => {
    const messages = JSON.stringify(body['messages']);
    const prompt = /think \d+/.exec(messages)?.[0] ?? '';
    if (!messages.includes('note noted')) return { calls: [{ name: 'note', input: { input: 'noted' } }] };
    if (rendezvous.isOpen()) return prompt;
    rendezvous.arrive(`model-${turn}`);
    return { text: 'word '.repeat(10_000), delayMs: 10 };
  };
}

/** Lets a process start the runs and shut down. It must exit by itself. */
async function shutDownElsewhere(order: ShutdownOrder): Promise<ShutdownReport> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_COMPILE_CACHE: folder.at('cache'), ...process.env },
  });
  try {
    const report = await text(child.stdout);
    if (child.exitCode === null) await settled(once(child, 'exit'), 'the end of the process');
    assert.equal(child.exitCode, 0);
    return JSON.parse(report) as ShutdownReport;
  } finally {
    child.kill('SIGKILL');
  }
}

/**
 * Answers the waiting runs and resumes the unfinished ones with a new agent. Checks that finished work is not
 * repeated.
 */
async function resumeRuns(
  order: ShutdownOrder,
  rendezvous: Rendezvous,
  results: readonly RunResult[],
): Promise<void> {
  rendezvous.open();
  await using agent = agentFor(order, rendezvous);
  const before = new Map<string, readonly RunEvent[]>();
  const performed = effectsIn(rendezvous.effects).length;
  for (const { runId, status } of results) {
    before.set(runId, await agent.runs.events(runId));
    if (status === 'running') assert.equal((await agent.runs.find(runId)).status, 'interrupted');
  }
  const ends = await Promise.all(results.map((result) => finish(agent, result)));
  for (const [index, end] of ends.entries()) {
    assert.equal(end.status, 'done', JSON.stringify(end));
    assert.equal(end.text, `${end.skill} ${index % each}`);
    checkLog(await agent.runs.events(end.runId));
  }
  const ended = new Set([...before.values()].flatMap((events) => stepKeys(events, 'step.ended')));
  const again = effectsIn(rendezvous.effects).slice(performed);
  assert.deepEqual(
    again.filter(({ key }) => ended.has(key)),
    [],
    'finished steps were performed again',
  );
}

/** Continues a run until it ends, with all its approvals. */
async function finish(agent: RecursiveSkilledAgent, { runId }: RunResult): Promise<RunResult> {
  for (;;) {
    const { status, question } = await agent.runs.result(runId);
    if (hasEnded(status)) return agent.runs.result(runId);
    if (question?.kind === 'input') await agent.runs.answer(runId, 'green', question.id);
    if (question?.kind === 'approval') await agent.runs.approve(runId, question.id, { allow: 'once' });
    await agent.runs.resume(runId).result;
  }
}
