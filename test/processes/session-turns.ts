import assert from 'node:assert/strict';
import type { RunSummary } from '../../src/core/store.ts';
import { openStore } from '../../src/config/storage/open-store.ts';
import { memorySpace, turnLinesSpace, turnsSpace } from '../../src/core/session.ts';
import { effectsIn, startWorker } from './start-worker.ts';

/** Instructions for the turns. */
interface TurnsOrder {
  /** The path or address of the store. */
  readonly store: string;
  readonly session: string;
  /** The file with one line per effect. */
  readonly effects: string;
  readonly cache: string;
  /** The number of turns of each of the three processes. */
  readonly turns: number;
  /** Whether the work is requested as prompts, which are turns, or as calls, which are not. */
  readonly as?: 'prompts' | 'calls';
}

/** Lets three processes count in one session at once. Checks that no count is lost and no turns overlap. */
export async function countInThree(order: TurnsOrder): Promise<void> {
  const { store, session, effects, cache, turns, as = 'prompts' } = order;
  const request = as === 'prompts' ? { prompt: '/count' } : { skill: 'count' };
  const workers = [1, 2, 3].map(() =>
    startWorker({ store, effects, run: { ...request, session }, times: turns - 1 }, cache),
  );
  try {
    await Promise.all(workers.map((worker) => worker.line('ready')));
    for (const worker of workers) worker.proceed();
    const reports = await Promise.all(workers.map((worker) => worker.line('results')));
    for (const end of await Promise.all(workers.map(({ ended }) => ended)))
      assert.equal(end.code, 0, end.err);
    for (const { results } of reports)
      for (const { status, error } of results) assert.equal(status, 'done', JSON.stringify(error));
    const values = reports.map(({ results }) => results.map(({ value }) => Number(value)));
    const all = 3 * turns;
    const opened = await openStore(store);
    try {
      assert.equal(await opened.get(memorySpace(session), 'count/count'), all);
      if (as === 'calls') return;
      // Each process runs its turns in the order of their requests, and no two turns overlap.
      for (const own of values)
        assert.deepEqual(
          own,
          [...own].sort((one, other) => one - other),
        );
      const steps = effectsIn(effects).map(({ step, key }) => `${step} ${key}`);
      const numbers = Array.from({ length: all }, (_, index) => index + 1);
      assert.deepEqual(
        steps,
        numbers.flatMap((number) => [`begin ${number}`, `end ${number}`]),
      );
      const runs = await opened.runs({ session, limit: all + 1 });
      assert.equal(runs.length, all);
      const answers = new Map(
        reports.flatMap(({ results }) => results.map(({ runId, text }) => [runId, text])),
      );
      const inOrder = runs.toReversed().map(({ id }: RunSummary) => answers.get(id));
      assert.deepEqual(
        inOrder.filter((text) => text !== undefined),
        [...answers.values()].sort((one, other) => Number(one) - Number(other)),
      );
      const said = [...(await opened.entries(turnsSpace(session))).values()] as unknown as readonly {
        text: string;
      }[];
      assert.deepEqual(
        said.map(({ text }) => Number(text)),
        numbers.slice(-said.length),
      );
      assert.equal(await opened.get(turnLinesSpace, session), undefined);
    } finally {
      await opened.close();
    }
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  }
}
