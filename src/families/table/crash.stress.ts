import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crashPoints } from '../../../test/stress/crash-points.ts';
import type { Loop } from '../../../test/stress/loops.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { yesPolicy } from '../../../test/support/kernel.ts';
import { tableStage, toolsText, type TableStage } from '../../../test/support/table-stage.ts';
import { tree } from '../../../test/support/tree.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunResult } from '../../core/run.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { openSqliteDatabase } from '../../stores/sqlite/database.ts';
import {
  runWithCrashes,
  type CrashResult,
  type CrashWork,
  type Incarnation,
} from '../../testing/crash-harness.ts';

const { createLoop, isLong } = openLoops(import.meta);
const session = 'a';
const drill = { tag: 'D-1', name: 'Drill', price: 10, quantity: 2 };
const tag = { field: 'tag', is: 'equals', value: 'D-1' };

/** A request, and the records and stored writes that must exist at the end. */
interface Change {
  readonly request: JsonObject;
  readonly rows: readonly (readonly [string, number])[];
  readonly writes: number;
  /** Records that are added after the crash test, so that the first change can no longer be undone. */
  readonly second?: JsonObject;
}

const changes: Readonly<Record<string, Change>> = {
  update: {
    request: { operation: 'update', where: tag, set: { price: 12 } },
    rows: [['D-1', 12]],
    writes: 2,
  },
  add: {
    request: { operation: 'add', records: [{ ...drill, tag: 'D-2' }] },
    rows: [
      ['D-1', 10],
      ['D-2', 10],
    ],
    writes: 2,
  },
  'bulk delete': { request: { operation: 'delete', many: true }, rows: [], writes: 2 },
  undo: { request: { operation: 'undo' }, rows: [], writes: 2 },
  'undo after something that cannot be taken back': {
    request: { operation: 'undo' },
    rows: [['D-1', 10]],
    writes: 3,
    second: { ...drill, tag: 'D-2' },
  },
};

describe('a change whose process is killed at any write of the log', () => {
  for (const [name, { request, rows, writes, second }] of Object.entries(changes).slice(0, isLong ? 5 : 1)) {
    const loop = createLoop({ small: isLong ? 10 : Infinity, full: Infinity }); // all points, or at least 10
    test(`is made exactly once: ${name}`, async () => {
      using files = tree({ '.agents/skills/tools/tskill.md': toolsText });
      let path = '';
      let rounds = 0;
      const earlier = new Set<string>();
      const open = (store: Store): TableStage =>
        tableStage({
          tables: { tools: toolsText },
          startDir: files.path,
          workspace: files.path,
          store,
          database: path,
        });
      const live = async ({ store }: Incarnation): Promise<RunResult> => {
        const stage = open(store);
        void store.crashed.then(() => stage.agent.shutdown());
        const { agent } = stage;
        const known = (await store.runs()).find(({ id, seq }) => !earlier.has(id) && seq > 0);
        const begun =
          known === undefined
            ? agent.run({ skill: 'tools', input: request, session })
            : agent.runs.resume(known.id, { takeOver: true });
        let result = await begun.result;
        if (result.status === 'waiting') {
          await agent.runs.answer(result.runId, 'yes').catch((thrown: unknown) => {
            assert.match(String(thrown), /answered already/); // by the crashed process
          });
          result = await agent.runs.resume(result.runId).result;
        }
        await stage[Symbol.asyncDispose]();
        return result;
      };
      await crash(
        loop,
        {
          async open() {
            path = files.at(`tables-${++rounds}.db`);
            const store = createMemoryStore();
            await using filling = open(store);
            const input = { operation: 'add', records: [drill], confirm: false };
            earlier.add((await filling.call(input, { session })).runId);
            if (second !== undefined) {
              const database = await openSqliteDatabase(path);
              await database.write((run) => run({ sql: 'delete from skilled_undo', parameters: [] }));
              await database.close();
              earlier.add((await filling.call({ ...input, records: [second] }, { session })).runId);
            }
            for (const { id, prepares } of await store.runs())
              if (prepares !== undefined) await store.remove([id]);
            return store;
          },
          live,
        },
        async ({ outcome, deaths }) => {
          const where = JSON.stringify(deaths);
          assert.equal(outcome.status, 'done', `${where} ${JSON.stringify(outcome.error)}`);
          assert.match(outcome.text, /^(?:Added|Changed|Deleted|Undid)/, where);
          const database = await openSqliteDatabase(path);
          const read = (sql: string) => database.read({ sql, parameters: [] });
          const found = await read('select tag, price from tools order by tag');
          assert.deepEqual(
            found.map((row) => [row['tag'], row['price']]),
            rows,
            where,
          );
          assert.equal((await read('select 1 from skilled_writes')).length, writes, where);
          await database.close();
        },
      );
    });
  }

  const ofImport = createLoop({ small: Infinity, full: Infinity });
  test('is reported correctly as made or not made if its file is gone', async () => {
    using files = tree({ '.agents/skills/tools/tskill.md': toolsText });
    let path = '';
    let rounds = 0;
    const open = (store: Store): TableStage =>
      tableStage({
        tables: { tools: toolsText },
        startDir: files.path,
        workspace: files.path,
        store,
        database: path,
        policy: yesPolicy,
      });
    const ends = new Set<string>();
    await crash(
      ofImport,
      {
        async open() {
          path = files.at(`import-${++rounds}.db`);
          files.write('tools.csv', 'tag,name\nD-1,Drill\n');
          const store = createMemoryStore();
          await using opening = open(store);
          await opening.call({ operation: 'count' }, { session });
          await store.remove((await store.runs()).map(({ id }) => id));
          return store;
        },
        async live({ store }: Incarnation): Promise<RunResult> {
          await using stage = open(store);
          void store.crashed.then(() => stage.agent.shutdown());
          const known = (await store.runs()).find(({ seq }) => seq > 0);
          if (known !== undefined) files.write('tools.csv', '');
          const input = { operation: 'import', file: 'tools.csv', confirm: false };
          const { agent } = stage;
          const { result } =
            known === undefined
              ? agent.run({ skill: 'tools', input, session })
              : agent.runs.resume(known.id, { takeOver: true });
          return await result;
        },
      },
      async ({ outcome, deaths }) => {
        const database = await openSqliteDatabase(path);
        const tables = await database.read({
          sql: "select 1 from sqlite_master where name = 'tools'",
          parameters: [],
        });
        const rows =
          tables.length === 0 ? [] : await database.read({ sql: 'select 1 from tools', parameters: [] });
        await database.close();
        const isReported = outcome.text.startsWith('Imported D-1');
        assert.equal(isReported, rows.length === 1, JSON.stringify([deaths, outcome.text]));
        ends.add(outcome.error?.code ?? outcome.status);
      },
    );
    assert.deepEqual([...ends].toSorted(), ['done', 'skill.changed']);
  });
});

/** Runs the work once without a crash, and then with a crash at each point that the loop selects. */
async function crash(
  loop: Loop,
  work: CrashWork<RunResult>,
  check: (result: CrashResult<RunResult>) => Promise<void>,
): Promise<void> {
  const whole = await runWithCrashes(work, []);
  await check(whole);
  let crashes = 0;
  const rounds = await loop.each(crashPoints(whole.appends), async (point) => {
    const result = await runWithCrashes(work, [point]);
    await check(result);
    crashes += result.lives - 1;
  });
  assert.ok(crashes > Math.min(10, rounds / 2), `${crashes} crashes in ${rounds} trials`);
}
