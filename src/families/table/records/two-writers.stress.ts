import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { openLoops } from '../../../../test/stress/stress.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
import {
  bulk,
  bulkOf,
  openAccounts,
  type RecordsOrder,
  type RecordsReport,
} from '../../../../test/support/records-writer.ts';
import { sourceFile } from '../../../../test/support/source-file.ts';
import { tree } from '../../../../test/support/tree.ts';

const { createLoop } = openLoops(import.meta);
const program = sourceFile('test/support/records-writer.ts');

const folder = tree();
const server = await startPostgres();
after(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const kinds: readonly { name: string; location: RecordsOrder['location'] | undefined }[] = [
  { name: 'SQLite', location: { sqlite: folder.at('records.db') } },
  { name: 'PostgreSQL', location: server && { postgres: server.url } },
];

for (const { name, location } of kinds) {
  const skip = location === undefined && `${name} is not installed`;
  const transfers = createLoop({ small: 25, full: 1_000 });
  const kills = createLoop({ small: 1, full: 40 });

  test(`${name}: two processes lose no change, and bring no value in twice`, { skip }, async (t) => {
    await transfers.sizes(async (steps, { number }) => {
      const order = { location: location!, table: `accounts_${number}`, work: 'transfer', steps } as const;
      await using accounts = await openAccounts(order);
      await accounts.add(
        ...Array.from({ length: 5 }, (_, index) => ({ code: `start ${index}`, amount: 1_000 })),
      );
      const writers = await Promise.all(['a', 'b'].map((writer) => start({ ...order, name: writer })));
      const reports = await Promise.all(writers.map(finish));
      const rows = await accounts.rows();
      assert.equal(
        rows.reduce((sum, { amount }) => sum + Number(amount), 0),
        5_000,
      );
      const serials = rows.flatMap(({ serial }) => serial ?? []);
      assert.deepEqual(serials.toSorted(), reports.flatMap((report) => report.serials).toSorted());
      assert.equal(new Set(serials).size, serials.length);
      assert.equal(serials.length, steps, 'of two who want the same value one gets it');
      t.diagnostic(`seen too late: ${reports.map(({ stale }) => stale).join(' and ')} times`);
    });
  });

  test(
    `${name}: a write that is killed is wholly there or not at all, and is completed once`,
    { skip },
    async () => {
      await kills.rounds(async ({ number: round }) => {
        const order = {
          location: location!,
          table: `bulks_${round}`,
          name: 'k',
          work: 'bulk',
          steps: 0,
        } as const;
        await using bulks = await openAccounts(order);
        const writer = await start({ ...order });
        const begun = await kill(writer, 2 + (round % 5));
        let there = 0;
        for (let number = 0; number <= begun; number++) {
          const found = await bulks.records.count({ field: 'amount', is: 'equals', value: number });
          const isDone = (await bulks.records.written(`${order.table} ${number}`)) !== undefined;
          assert.equal(found, isDone ? bulk : 0);
          there += found;
        }
        assert.equal(await bulks.records.count(), there);
        for (let number = 0; number <= begun; number++) {
          const { outcome } = await bulks.records.write(bulkOf(number), {
            stepId: `${order.table} ${number}`,
            session: 's',
          });
          assert.equal(outcome, 'done');
        }
        assert.equal(await bulks.records.count(), (begun + 1) * bulk);
      });
    },
  );
}

/** Starts a writer process. It waits for a message before it writes. */
async function start(order: RecordsOrder): Promise<ChildProcess> {
  const child = fork(program, [JSON.stringify(order)]);
  await once(child, 'message');
  return child;
}

async function finish(child: ChildProcess): Promise<RecordsReport> {
  const said = once(child, 'message');
  child.send('begin');
  const [report] = (await said) as [RecordsReport];
  await once(child, 'exit');
  return report;
}

/**
 * Kills a writer while it writes the bulk with this number. Returns the number of the bulk that it was
 * writing.
 */
async function kill(child: ChildProcess, at: number): Promise<number> {
  const ended = once(child, 'exit');
  let begun = 0;
  child.on('message', (number: number) => {
    begun = number;
    if (number >= at) child.kill('SIGKILL');
  });
  child.send('begin');
  await ended;
  return begun;
}
