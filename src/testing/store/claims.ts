import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../core/index.ts';
import {
  ended,
  makeRun,
  note,
  opened,
  readAll,
  rejectsWithClaimLost,
  started,
  waiting,
  type OpenStore,
} from './test-store.ts';

/** Registers tests that check that only the owner of the latest claim can write. */
export function checkClaims(open: OpenStore): void {
  test(
    'a claim creates the run',
    opened(open, async (store) => {
      const epoch = await store.claim('r1', 'me');
      const [run, ...others] = await store.runs();
      assert.deepEqual(others, []);
      assert.ok(run !== undefined && run.startedAt > Date.UTC(2020, 0), 'the start is in milliseconds');
      const { startedAt } = run;
      assert.deepEqual(run, {
        id: 'r1',
        skill: '',
        session: '',
        title: '',
        status: 'running',
        seq: 0,
        epoch,
        owner: 'me',
        startedAt,
        updatedAt: startedAt,
        beatAt: startedAt,
      });
    }),
  );

  test(
    'a claim takes the run from its owner, and changes nothing else',
    opened(open, async (store) => {
      const first = await makeRun(store, 'r1', started(), ended('failed'));
      const second = await store.claim('r1', 'somebody else');
      assert.notEqual(first, second);
      const [run] = await store.runs();
      assert.deepEqual(
        [run?.owner, run?.epoch, run?.status, run?.seq, run?.skill],
        ['somebody else', second, 'failed', 2, 'demo'],
      );
      await refusesWrites(store, 'r1', first);
      assert.equal(await store.append('r1', second, [note('more')]), 3);
    }),
  );

  test(
    'a conditional claim is refused when another owner holds the run',
    opened(open, async (store) => {
      const first = { epoch: await makeRun(store, 'r1', started()), seq: 1 };
      const second = await store.claim('r1', 'you', first);
      await assert.rejects(store.claim('r1', 'late', first), { code: 'internal.claim-lost' });
      await assert.rejects(store.claim('none', 'me', first), { code: 'internal.claim-lost' });
      assert.equal(await store.append('r1', second, [note('mine')]), 2);
      const runs = await store.runs();
      assert.deepEqual(
        runs.map(({ id, owner }) => [id, owner]),
        [['r1', 'you']],
      );
    }),
  );

  test(
    'a conditional claim is refused when the holder has written since',
    opened(open, async (store) => {
      const epoch = await makeRun(store, 'r1', started());
      await store.append('r1', epoch, [note('meanwhile')]);
      await assert.rejects(store.claim('r1', 'late', { epoch, seq: 1 }), { code: 'internal.claim-lost' });
      assert.equal(await store.append('r1', epoch, [note('still mine')]), 3);
      const taken = await store.claim('r1', 'you', { epoch, seq: 3 });
      assert.equal(await store.append('r1', taken, [note('mine')]), 4);
    }),
  );

  test(
    'writes to a run that was never claimed, was removed or recreated are refused',
    opened(open, async (store) => {
      await refusesWrites(store, 'r1', '');
      const epoch = await makeRun(store, 'r1', note('old'));
      await store.remove(['r1']);
      await refusesWrites(store, 'r1', epoch);
      const nextEpoch = await store.claim('r1', 'me');
      assert.notEqual(nextEpoch, epoch);
      await refusesWrites(store, 'r1', epoch);
      assert.equal(await store.append('r1', nextEpoch, [note('new')]), 1);
    }),
  );

  test(
    'a beat returns the lost claims',
    opened(open, async (store) => {
      const [held, lost] = [await store.claim('held', 'me'), await store.claim('lost', 'me')];
      await store.claim('lost', 'you');
      const claims = [
        ['held', held],
        ['lost', lost],
        ['removed', held],
        ['', '\0'],
      ] as const;
      assert.deepEqual([...(await store.beat(new Map(claims)))].sort(), ['', 'lost', 'removed']);
      assert.deepEqual([...(await store.beat(new Map()))], []);
    }),
  );

  test(
    'a beat takes many claims at once',
    opened(open, async (store) => {
      const ids = Array.from({ length: 300 }, (_, index) => `r${index}`);
      const epochs = await Promise.all(ids.map((id) => store.claim(id, 'me')));
      const claims = ids.map((id, index) => [id, index % 3 === 0 ? 'stale' : (epochs[index] ?? '')] as const);
      const lost = await store.beat(new Map(claims));
      assert.deepEqual([...lost].sort(), ids.filter((_, index) => index % 3 === 0).sort());
    }),
  );

  test(
    'a released run is interrupted at once, loses its claim, and can be claimed again',
    opened(open, async (store) => {
      const epoch = await makeRun(store, 'r1', started(), note('before'));
      await store.release(new Map([['r1', epoch]]));
      const [run] = await store.runs({ status: ['interrupted'] });
      assert.ok(run !== undefined);
      assert.deepEqual([run.id, run.seq, run.beatAt], ['r1', 2, 0]);
      await refusesWrites(store, 'r1', epoch);
      assert.deepEqual([...(await store.beat(new Map([['r1', epoch]])))], ['r1']);
      assert.equal((await store.runs())[0]?.status, 'interrupted');
      await assert.rejects(store.claim('r1', 'late', { epoch, seq: 2 }), { code: 'internal.claim-lost' });

      const taken = await store.claim('r1', 'you', run);
      assert.deepEqual(
        (await store.runs()).map(({ status, owner }) => [status, owner]),
        [['running', 'you']],
      );
      await assert.rejects(store.claim('r1', 'late', run), { code: 'internal.claim-lost' });
      assert.equal(await store.append('r1', taken, [note('after')]), 3);
    }),
  );

  test(
    'a release keeps runs that another owner claimed, that wait or that have ended',
    opened(open, async (store) => {
      const lost = await makeRun(store, 'lost', started());
      const taken = await store.claim('lost', 'you');
      const waits = await makeRun(store, 'waits', started(), waiting());
      const over = await makeRun(store, 'over', started(), ended());
      await makeRun(store, 'other', started());
      const claims = [
        ['lost', lost],
        ['waits', waits],
        ['over', over],
        ['none', over],
        ['', '\0'],
      ] as const;
      await store.release(new Map(claims));
      await store.release(new Map());
      const runs = await store.runs();
      assert.deepEqual(runs.map(({ id, status }) => [id, status]).sort(), [
        ['lost', 'running'],
        ['other', 'running'],
        ['over', 'done'],
        ['waits', 'waiting'],
      ]);
      assert.equal(await store.append('lost', taken, [note('mine')]), 2);
    }),
  );
}

async function refusesWrites(store: Store, runId: string, epoch: string): Promise<void> {
  const before = [await readAll(store, runId), await store.runs()];
  await store.set('refused', 'kept', 1);
  const entries = [
    { space: 'refused', key: 'new', value: 2 },
    { space: 'refused', key: 'kept', value: undefined },
  ];
  await rejectsWithClaimLost(store.append(runId, epoch, [note('stale')], entries));
  await rejectsWithClaimLost(store.append(runId, epoch, []));
  assert.deepEqual([...(await store.entries('refused'))], [['kept', 1]]);
  assert.deepEqual([await readAll(store, runId), await store.runs()], before);
}
