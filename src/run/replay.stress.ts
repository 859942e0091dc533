import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { count } from '../../test/stress/count.ts';
import { mustEnd } from '../../test/support/must-end.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { accountOf, checkEffects, checkLog, seed, type Account } from '../../test/support/program-checks.ts';
import {
  comeTo,
  createStage,
  finish,
  nameOf,
  openAgent,
  type Answering,
  type StageOptions,
} from '../../test/support/program-stage.ts';
import { answerTo, racyPrograms, steadyPrograms, type Instruction } from '../../test/support/programs.ts';
import { tree } from '../../test/support/tree.ts';
import { within } from '../../test/support/within.ts';
import type { RunEvent } from '../core/event.ts';
import type { Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { openPostgresStore } from '../stores/postgres.ts';
import { openSqliteStore } from '../stores/sqlite.ts';
import { liveThrough, type CrashPoint } from '../testing/crash-harness.ts';

const folder = tree();
const server = await startPostgres();
const stores: { name: string; store: Store | undefined; share: number }[] = [
  { name: 'memory', store: createMemoryStore(), share: 1 },
  { name: 'SQLite', store: await openSqliteStore(folder.at('runs.db')), share: 0.3 },
  { name: 'PostgreSQL', store: server && (await openPostgresStore(server.url)), share: 0.1 },
];
after(async () => {
  mustEnd();
  for (const { name, store } of stores) await within(30, `The end of the ${name} store`, closed(store));
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const programs = count({ small: 3, full: 200 });
const mostBoundaries = count({ small: 4, full: 60 });

for (const { name, store, share } of stores) {
  const skip = store === undefined && `${name} is not installed`;
  const numRuns = Math.ceil(programs * share);

  test(`${name}: a program killed at any append comes to the same`, { skip }, async (t) => {
    assert.ok(store !== undefined);
    const points = fc.array(fc.record({ part: fc.nat(999), when: whens }), { maxLength: 2 });
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(steadyPrograms, points, answerings, async (program, more, answers) => {
        const { account, appends } = await uncrashed(store, program);
        for (const point of chosen(appends)) {
          const later = more.map(({ part, when }) => ({ at: 1 + (part % appends), when }));
          crashes += await crashed(store, program, account, [point, ...later], { answers });
        }
      }),
      { numRuns },
    );
    t.diagnostic(`${numRuns} programs, ${crashes} crashes`);
  });

  test(`${name}: a program killed at any moment comes to the same`, { skip }, async (t) => {
    assert.ok(store !== undefined);
    let crashes = 0;
    const moments = fc.array(fc.nat(8), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(steadyPrograms, moments, async (program, kills) => {
        const { account } = await uncrashed(store, program);
        crashes += await crashed(store, program, account, [], { kills });
      }),
      { numRuns: numRuns * 3 },
    );
    t.diagnostic(`${numRuns * 3} programs, ${crashes} crashes`);
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

test('every beginning of a log leads to the end of the whole', async (t) => {
  let replays = 0;
  await fc.assert(
    fc.asyncProperty(steadyPrograms, async (program) => {
      const { account, events, session } = await uncrashed(createMemoryStore(), program);
      for (const { at } of chosen(events.length - 1).filter(({ when }) => when === 'after')) {
        const store = createMemoryStore();
        await seed(store, session, events.slice(0, at));
        await crashed(store, program, account, [], { session });
        replays++;
      }
    }),
    { numRuns: programs },
  );
  t.diagnostic(`${programs} programs, ${replays} replays`);
});

test('a program that depends on the order of its parts replays in the order of its log', async () => {
  await fc.assert(
    fc.asyncProperty(racyPrograms, async (program) => {
      const { account, events, session } = await uncrashed(createMemoryStore(), program);
      const { status, value, error } = account; // what floats may still leave something in memory
      const store = createMemoryStore();
      await seed(store, session, untilEnd(events));
      await crashed(store, program, { status, value, error }, [], { session });
    }),
    { numRuns: programs * 8 },
  );
});

test('a program that races keeps a whole log and repeats nothing, wherever it is killed', async () => {
  const moments = fc.array(fc.nat(8), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(racyPrograms, moments, answerings, async (program, kills, answers) => {
      await crashed(createMemoryStore(), program, {}, [], { kills, answers });
    }),
    { numRuns: programs * 8 },
  );
});

test('a program that is cancelled at any moment, here or elsewhere, leaves a whole log and does nothing more', async () => {
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
    { numRuns: programs * 4 },
  );
});

test('many programs at once in one agent share nothing', async () => {
  const sample = fc.sample(steadyPrograms, count({ small: 40, full: 100 }));
  const expected = await Promise.all(sample.map((program) => uncrashed(createMemoryStore(), program)));
  const agent = openAgent(createMemoryStore(), ({ key }) => comeTo(key));
  const results = await Promise.all(sample.map((program, index) => finish(agent, `s${index}`, program)));
  await agent.shutdown();
  for (const [index, { status, value }] of results.entries()) {
    const { account } = expected[index] ?? {};
    assert.deepEqual({ status, value }, { status: account?.status, value: account?.value });
  }
});

async function closed(store: Store | undefined): Promise<void> {
  await store?.close();
}

const answerings = fc.constantFrom<Answering[]>('late', 'backwards', 'at once');
const whens = fc.constantFrom<CrashPoint['when'][]>('before', 'after');

/** Every append on both sides, or as many of them as there is time for. */
function chosen(appends: number): readonly CrashPoint[] {
  const all = Array.from({ length: appends }, (_, index) => index + 1).flatMap(
    (at): readonly CrashPoint[] => [
      { at, when: 'before' },
      { at, when: 'after' },
    ],
  );
  const step = Math.max(1, all.length / mostBoundaries);
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** What a program comes to when nothing happens to it. */
async function uncrashed(
  store: Store,
  program: Instruction,
): Promise<{ account: Account; appends: number; events: readonly RunEvent[]; session: string }> {
  const stage = createStage(store, program);
  const { outcome, appends } = await liveThrough(stage, []);
  const events = await stage.events();
  checkLog(events);
  checkEffects(stage, events);
  return { account: await accountOf(store, stage, outcome), appends, events, session: stage.session };
}

/** Lives through crashes and checks that nothing differs; resolves with how many there were. */
async function crashed(
  store: Store,
  program: Instruction,
  expected: Partial<Account>,
  deaths: readonly CrashPoint[],
  options: StageOptions,
): Promise<number> {
  const stage = createStage(store, program, options);
  const { outcome, lives } = await liveThrough(stage, deaths);
  const events = await stage.events();
  checkLog(events);
  checkEffects(stage, events);
  const account = await accountOf(store, stage, outcome);
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(account[name as keyof Account], value, `${name} of ${nameOf(program)}`);
  }
  return lives - 1;
}

/** The log of a run up to the end of its first frame, and of what that left open. */
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
