import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { openLoops } from '../../test/stress/stress.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import type { WriterOrder, WriterReport } from '../../test/support/store-writer.ts';
import { tree } from '../../test/support/tree.ts';
import type { Store } from '../core/store.ts';
import { openPostgresStore } from './postgres/store.ts';
import { openSqliteStore } from './sqlite/store.ts';
import { sourceFile } from '../../test/support/source-file.ts';

const { createLoop } = openLoops(import.meta);
const counts = { small: 80, full: 5_000 }; // appends
const program = sourceFile('test/support/store-writer.ts');

const folder = tree();
const server = await startPostgres();
after(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

type StoreLocation = WriterOrder['store'];
const kinds: readonly { name: string; make: (label: string) => StoreLocation | undefined }[] = [
  { name: 'SQLite', make: (label) => ({ sqlite: folder.at(`${label}.db`) }) },
  { name: 'PostgreSQL', make: () => server && { postgres: server.url } },
];

for (const { name, make } of kinds) {
  const skip = make('') === undefined && `${name} is not installed`;
  const [apart, fights] = [createLoop(counts), createLoop(counts)];

  test(`${name}: two processes that make one store write to runs of their own`, { skip }, async () => {
    await apart.sizes(async (appends, { number }) => {
      const location = make(`apart-${number}`);
      assert.ok(location !== undefined);
      const both = { store: location, appends, fights: false };
      const [a, b] = [`a-${number}`, `b-${number}`];
      const reports = await write({ ...both, name: 'a', runId: a }, { ...both, name: 'b', runId: b });
      const store = await open(location);
      for (const [index, runId] of [a, b].entries()) await checkRun(store, runId, appends, [reports[index]]);
      await store.close();
    });
  });

  test(
    `${name}: two processes that fight for one run lose no write that was confirmed`,
    { skip },
    async (t) => {
      await fights.sizes(async (appends, { number }) => {
        const location = make(`fight-${number}`);
        assert.ok(location !== undefined);
        const runId = `one-${number}`;
        const both = { store: location, runId, appends, fights: true };
        const reports = await write({ ...both, name: 'a' }, { ...both, name: 'b' });
        const store = await open(location);
        await checkRun(store, runId, appends, reports);
        await store.close();
        t.diagnostic(`overtaken: ${reports.map(({ lostClaims }) => lostClaims).join(' and ')} times`);
      });
    },
  );
}

/** Runs one process for each order. They open the store separately and then start together. */
async function write(...orders: readonly WriterOrder[]): Promise<readonly WriterReport[]> {
  const children = orders.map((order) => fork(program, [JSON.stringify(order)]));
  const ends = children.map((child) => once(child, 'exit'));
  await Promise.all(children.map((child, index) => Promise.race([once(child, 'message'), ends[index]])));
  const reports: WriterReport[] = [];
  for (const [index, child] of children.entries()) {
    child.on('message', (report) => (reports[index] = report as WriterReport));
    if (child.connected) child.send('begin');
  }
  await Promise.all(ends);
  assert.equal(reports.filter(Boolean).length, orders.length, 'a writer ended without a report');
  return reports;
}

function open(location: StoreLocation): Promise<Store> {
  return 'sqlite' in location ? openSqliteStore(location.sqlite) : openPostgresStore(location.postgres);
}

/** Checks that exactly the confirmed writes exist, each with its value. */
async function checkRun(
  store: Store,
  runId: string,
  appends: number,
  reports: readonly (WriterReport | undefined)[],
): Promise<void> {
  const written = reports.flatMap((report) => report?.written ?? []).sort(([, a], [, b]) => a - b);
  const read: [string, number][] = [];
  for await (const event of store.read(runId))
    read.push([event.type === 'note.added' ? event.message : event.type, event.seq]);
  assert.equal(written.length, reports.length * appends);
  assert.deepEqual(read, written);
  const messages = written.map(([message]) => message);
  const values = await store.entries(runId);
  assert.deepEqual([...values.keys()], [...messages, 'last'].sort());
  assert.equal(values.get('last'), messages.at(-1));
}
