import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openLoops } from '../../../test/stress/stress.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Store } from '../../core/index.ts';
import { openPostgresStore } from '../../stores/postgres/store.ts';
import { openSqliteStore } from '../../stores/sqlite/store.ts';
import { createIdempotency } from '../idempotency.ts';
import { createRateLimiter } from './rate-limiter.ts';

const { createLoop } = openLoops(import.meta);
const folder = tree();
const postgres = await startPostgres();
after(async () => {
  await postgres?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const servers = 3; // Each has a connection of its own.
const kinds: readonly (readonly [string, ((label: string) => Promise<Store>) | undefined])[] = [
  ['SQLite', (label) => openSqliteStore(folder.at(`${label}.db`))],
  ['PostgreSQL', postgres && (() => openPostgresStore(postgres.url))],
];

for (const [name, open] of kinds) {
  const rates = createLoop({ small: 3, full: 200 });
  test(
    `servers on one ${name} store never allow more than a key has`,
    { skip: open === undefined },
    async () => {
      assert.ok(open !== undefined);
      const stores = await Promise.all(Array.from({ length: servers }, () => open('rates')));
      try {
        await rates.rounds(async ({ random }) => {
          const rate = { perMinute: 0.001, burst: 1 + random.below(40) }; // Nothing is earned during the test.
          const keyId = `k${random.below(1_000_000_000)}`;
          const limiters = stores.map((store) => createRateLimiter(store, { rate }));
          const takes = limiters.flatMap((limiter) =>
            Array.from({ length: 30 }, () => limiter.take({ keyId, rate: undefined })),
          );
          const allowed = (await Promise.all(takes)).filter((taken) => taken.allowed).length;
          assert.ok(allowed >= 1 && allowed <= rate.burst, `${allowed} of ${rate.burst}`);
        });
      } finally {
        await Promise.all(stores.map((store) => store.close()));
      }
    },
  );

  const requests = createLoop({ small: 3, full: 200 });
  test(
    `a request to servers on one ${name} store is executed once`,
    { skip: open === undefined },
    async () => {
      assert.ok(open !== undefined);
      const stores = await Promise.all(Array.from({ length: servers }, () => open('requests')));
      try {
        await requests.rounds(async ({ random }) => {
          const key = `k${random.below(1_000_000_000)}`;
          let executed = 0;
          const send = async (store: Store): Promise<unknown> => {
            const begun = await createIdempotency(store).begin({ keyId: 'anna' }, key, 'body');
            if (begun.kind !== 'new') return begun.kind === 'replay' ? begun.answer.body : begun.kind;
            executed += 1;
            await begun.request.finish({ status: 201, headers: {}, body: key });
            return key;
          };
          const answers = await Promise.all(
            stores.flatMap((store) => [send(store), send(store), send(store)]),
          );
          assert.equal(executed, 1);
          assert.deepEqual([...new Set(answers)], [key]);
        });
      } finally {
        await Promise.all(stores.map((store) => store.close()));
      }
    },
  );
}
