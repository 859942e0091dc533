// Takes two shares: it has many loops.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { crashPoints } from '../../../test/stress/crash-points.ts';
import type { Loop } from '../../../test/stress/loops.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import {
  accountOf,
  checkEffects,
  checkLog,
  seed,
  type Account,
} from '../../../test/support/program-checks.ts';
import {
  comeTo,
  createStage,
  finish,
  nameOf,
  openAgent,
  type Answering,
  type StageOptions,
} from '../../../test/support/program-stage.ts';
import { answerTo, racyPrograms, steadyPrograms, type Instruction } from '../../../test/support/programs.ts';
import { tree } from '../../../test/support/tree.ts';
import { settled } from '../../../test/support/deadline.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { openPostgresStore } from '../../stores/postgres/store.ts';
import { openSqliteStore } from '../../stores/sqlite/store.ts';
import { runWithCrashes, type CrashPoint } from '../../testing/crash-harness.ts';

const { createLoop, size } = openLoops(import.meta);
const folder = tree();
const server = await startPostgres();
const stores: { name: string; store: Store | undefined; share: number }[] = [
  { name: 'memory', store: createMemoryStore(), share: 1 },
  { name: 'SQLite', store: await openSqliteStore(folder.at('runs.db')), share: 0.3 },
  { name: 'PostgreSQL', store: server && (await openPostgresStore(server.url)), share: 0.1 },
];
after(async () => {
  for (const { name, store } of stores) await settled(closed(store), `The end of the ${name} store`);
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const programs = { small: 3, full: 200 };
const maxBoundaries = size({ small: 4, full: 60 });

/** Returns a loop over the usual number of programs, times a factor. */
function loopTimes(factor: number): Loop {
  return createLoop({ small: Math.ceil(programs.small * factor), full: Math.ceil(programs.full * factor) });
}

for (const { name, store, share } of stores) {
  const skip = store === undefined && `${name} is not installed`;
  const atAppends = loopTimes(share);
  const atMoments = loopTimes(share * 3);

  test(`${name}: a program killed at any append has the same outcome`, { skip }, async (t) => {
    assert.ok(store !== undefined);
    const points = fc.array(fc.record({ part: fc.nat(999), when: whens }), { maxLength: 2 });
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(
        steadyPrograms,
        points,
        answerings,
        offsets,
        async (program, more, answers, offset) => {
          const { account, appends } = await uncrashed(store, program);
          for (const point of choose(appends, offset)) {
            const later = more.map(({ part, when }) => ({ at: 1 + (part % appends), when }));
            crashes += await crashed(store, program, account, [point, ...later], { answers });
          }
        },
      ),
      atAppends.runs(),
    );
    t.diagnostic(`${crashes} crashes`);
  });

  test(`${name}: a program killed at any moment has the same outcome`, { skip }, async (t) => {
    assert.ok(store !== undefined);
    let crashes = 0;
    const moments = fc.array(fc.nat(8), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(steadyPrograms, moments, async (program, kills) => {
        const { account } = await uncrashed(store, program);
        crashes += await crashed(store, program, account, [], { kills });
      }),
      atMoments.runs(),
    );
    t.diagnostic(`${crashes} crashes`);
  });

  test(
    `${name}: one of three branches asks; another process answers and all values are there`,
    { skip },
    async () => {
      assert.ok(store !== undefined);
      const session = `three branches in ${name}`;
      const parts: readonly Instruction[] = [
        { do: 'call', skill: 'helper', body: { do: 'effect', key: 'e' } },
        { do: 'ask', text: 'which?' },
        { do: 'effect', key: 'f' },
      ];
      const first = openAgent(store, ({ key }) => comeTo(key));
      const begun = first.run({ skill: 'program', input: { do: 'parallel', parts }, session });
      const waiting = await begun.result;
      await first.shutdown();
      assert.equal(waiting.status, 'waiting');
      assert.equal(waiting.question?.text, 'which?');
      const second = openAgent(store, () => Promise.reject(new Error('All effects had ended.')));
      await second.runs.answer(begun.id, answerTo('which?'));
      const { value } = await second.runs.resume(begun.id).result;
      await second.shutdown();
      assert.deepEqual(value, [[{ made: 'e' }], 'the answer to which?', { made: 'f' }]);
    },
  );
}

const beginnings = loopTimes(1);
test('a run resumed from any prefix of its log has the same outcome', async (t) => {
  let replays = 0;
  await fc.assert(
    fc.asyncProperty(steadyPrograms, offsets, async (program, offset) => {
      const { account, events, session } = await uncrashed(createMemoryStore(), program);
      for (const { at } of choose(events.length - 1, offset).filter(({ when }) => when === 'after')) {
        const store = createMemoryStore();
        await seed(store, session, events.slice(0, at));
        await crashed(store, program, account, [], { session });
        replays++;
      }
    }),
    beginnings.runs(),
  );
  t.diagnostic(`${replays} replays`);
});

const ordered = loopTimes(8);
test('a program that depends on the order of its parts replays in the order of its log', async () => {
  await fc.assert(
    fc.asyncProperty(racyPrograms, async (program) => {
      const { account, events, session } = await uncrashed(createMemoryStore(), program);
      const { status, value, error } = account; // unawaited work may still change the memory
      const store = createMemoryStore();
      await seed(store, session, untilEnd(events));
      await crashed(store, program, { status, value, error }, [], { session });
    }),
    ordered.runs(),
  );
});

const racing = loopTimes(8);
test('a program with races keeps a complete log and repeats nothing, wherever it is killed', async () => {
  const moments = fc.array(fc.nat(8), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(racyPrograms, moments, answerings, async (program, kills, answers) => {
      await crashed(createMemoryStore(), program, {}, [], { kills, answers });
    }),
    racing.runs(),
  );
});

const cancelled = loopTimes(4);
test('a program cancelled at any moment, here or elsewhere, leaves a complete log and does nothing more', async () => {
  const here = fc.boolean();
  await fc.assert(
    fc.asyncProperty(racyPrograms, fc.nat(12), here, async (program, turns, isHere) => {
      const store = createMemoryStore();
      let performed = 0;
      await using agent = openAgent(store, ({ key }) => {
        performed++;
        return comeTo(key);
      });
      await using other = openAgent(store, ({ key }) => comeTo(key));
      const handle = agent.run({ skill: 'program', input: program });
      for (let count = turns; count > 0; count--) await turn();
      await (isHere ? agent : other).runs.cancel(handle.id);
      const before = performed;
      await handle.result;
      for (let count = 6; count > 0; count--) await turn();
      if (isHere) assert.equal(performed, before, 'an effect after the end');
      const events = await agent.runs.events(handle.id);
      if (events.length > 0) checkLog(events);
    }),
    cancelled.runs(),
  );
});

const together = createLoop({ small: 1, full: 1 });
test('many programs at once in one agent share nothing', async () => {
  await together.rounds(async ({ seed }) => {
    const sample = fc.sample(steadyPrograms, { numRuns: size({ small: 40, full: 100 }), seed });
    const expected = await Promise.all(sample.map((program) => uncrashed(createMemoryStore(), program)));
    const agent = openAgent(createMemoryStore(), ({ key }) => comeTo(key));
    const results = await Promise.all(sample.map((program, index) => finish(agent, `s${index}`, program)));
    await agent.shutdown();
    for (const [index, { status, value }] of results.entries()) {
      const { account } = expected[index] ?? {};
      assert.deepEqual({ status, value }, { status: account?.status, value: account?.value });
    }
  });
});

async function closed(store: Store | undefined): Promise<void> {
  await store?.close();
}

const answerings = fc.constantFrom<Answering[]>('late', 'backwards', 'at once');
const whens = fc.constantFrom<CrashPoint['when'][]>('before', 'after');

const offsets = fc.integer({ min: 0, max: 999 });

/** Returns the points before and after each append, or an even selection. `offset` is in thousandths of a step. */
function choose(appends: number, offset: number): readonly CrashPoint[] {
  const all = crashPoints(appends);
  const step = Math.max(1, all.length / maxBoundaries);
  const first = (offset / 1_000) * step;
  return Array.from({ length: Math.ceil((all.length - first) / step) }, (_, index) => {
    return all[Math.floor(first + index * step)]!;
  });
}

/** Runs a program without a crash. */
async function uncrashed(
  store: Store,
  program: Instruction,
): Promise<{ account: Account; appends: number; events: readonly RunEvent[]; session: string }> {
  const stage = createStage(store, program);
  const { outcome, appends } = await runWithCrashes(stage, []);
  const events = await stage.events();
  checkLog(events);
  checkEffects(stage, events);
  return { account: await accountOf(store, stage, outcome), appends, events, session: stage.session };
}

/** Runs a program with crashes and checks that nothing differs. Resolves to the number of crashes. */
async function crashed(
  store: Store,
  program: Instruction,
  expected: Partial<Account>,
  deaths: readonly CrashPoint[],
  options: StageOptions,
): Promise<number> {
  const stage = createStage(store, program, options);
  const { outcome, lives } = await runWithCrashes(stage, deaths);
  const events = await stage.events();
  checkLog(events);
  checkEffects(stage, events);
  const account = await accountOf(store, stage, outcome);
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(account[name as keyof Account], value, `${name} of ${nameOf(program)}`);
  }
  return lives - 1;
}

/** Returns the log of a run up to the end of its first frame, without the cancelled calls that it left open. */
function untilEnd(events: readonly RunEvent[]): readonly RunEvent[] {
  const first = events.find(({ type }) => type === 'frame.started')?.frameId;
  let end = events.findIndex(({ type, frameId }) => type === 'frame.ended' && frameId === first);
  const isLeft = (event: RunEvent | undefined): boolean =>
    event?.type === 'frame.ended' &&
    event.output.status === 'failed' &&
    event.output.error.code === 'usage.cancelled';
  while (isLeft(events[end - 1])) end--;
  return events.slice(0, end);
}
