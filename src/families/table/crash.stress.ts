import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count } from '../../../test/stress/count.ts';
import { tableStage, toolsText, type TableStage } from '../../../test/support/table-stage.ts';
import { tree } from '../../../test/support/tree.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunResult } from '../../core/run.ts';
import { openSqliteDatabase } from '../../stores/database/sqlite.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { everyCrash, type Life } from '../../testing/crash-harness.ts';

const session = 'a';
const drill = { tag: 'D-1', name: 'Drill', price: 10, quantity: 2 };
const tag = { field: 'tag', is: 'equals', value: 'D-1' };

/** What is asked for, and the records and kept writes that must be there at the end. */
interface Change {
  readonly request: JsonObject;
  readonly rows: readonly (readonly [string, number])[];
  readonly writes: number;
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
};

describe('a change whose process is killed at any write of the log', () => {
  for (const [name, { request, rows, writes }] of Object.entries(changes).slice(
    0,
    count({ small: 1, full: 4 }),
  ))
    test(`is made once all the same: ${name}`, async () => {
      using files = tree({ '.agents/skills/tools/tskill.md': toolsText });
      let place = '';
      let trials = 0;
      let earlier = '';
      const open = (store: Store): TableStage =>
        tableStage({
          ...{ tables: { tools: toolsText }, startDir: files.path, workspace: files.path },
          ...{ store, database: place },
        });
      const live = async ({ store }: Life): Promise<RunResult> => {
        const stage = open(store);
        void store.crashed.then(() => stage.agent.shutdown());
        const { agent } = stage;
        const known = (await store.runs()).find(({ id, seq }) => id !== earlier && seq > 0);
        const begun =
          known === undefined
            ? agent.run({ skill: 'tools', input: request, session })
            : agent.runs.resume(known.id, { takeOver: true });
        let result = await begun.result;
        if (result.status === 'waiting') {
          await agent.runs.answer(result.runId, 'yes').catch((thrown: unknown) => {
            assert.match(String(thrown), /answered already/); // by the process that died
          });
          result = await agent.runs.resume(result.runId).result;
        }
        await stage[Symbol.asyncDispose]();
        return result;
      };
      const crashes = await everyCrash(
        {
          async open() {
            place = files.at(`tables-${++trials}.db`);
            const store = createMemoryStore();
            await using filling = open(store);
            const input = { operation: 'add', records: [drill], confirm: false };
            earlier = (await filling.call(input, { session })).runId;
            for (const { id, prepares } of await store.runs())
              if (prepares !== undefined) await store.remove([id]);
            return store;
          },
          live,
        },
        async ({ outcome, deaths }) => {
          const where = JSON.stringify(deaths);
          assert.equal(outcome.status, 'done', `${where} ${JSON.stringify(outcome.error)}`);
          assert.match(outcome.text, /^(?:Added|Changed|Deleted|Took back)/, where);
          const database = await openSqliteDatabase(place);
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
      assert.ok(crashes > 10);
    });
});
