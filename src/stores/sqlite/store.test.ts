import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { tree } from '../../../test/support/tree.ts';
import type { Store } from '../../core/store.ts';
import { storeContract } from '../../testing/store/contract.ts';
import { openSqlite } from './connection.ts';
import { openSqliteStore } from './store.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';

const folder = tree();
let last = 0;
const path = (): string => folder.at('contract', `${last}.db`);
after(() => folder[Symbol.dispose]());

storeContract(
  'SQLite',
  () => {
    last += 1;
    return openSqliteStore(path());
  },
  {
    again: () => openSqliteStore(path()),
    async pass(milliseconds) {
      using connection = new DatabaseSync(path());
      for (const column of ['started_at', 'updated_at', 'beat_at'])
        connection.prepare(`update runs set ${column} = ${column} - ?`).run(milliseconds);
      connection.prepare('update entries set expires_at = expires_at - ?').run(milliseconds);
    },
  },
);

test('the file and its folders are for their owner only', async () => {
  using directory = tree();
  const store = await openSqliteStore(directory.at('a', 'b', 'runs.db'));
  await store.set('s', 'k', 1);
  assert.equal(statSync(directory.at('a')).mode & 0o777, 0o700);
  assert.equal(statSync(directory.at('a', 'b')).mode & 0o777, 0o700);
  const files = readdirSync(directory.at('a', 'b'));
  assert.deepEqual(files, ['runs.db', 'runs.db-shm', 'runs.db-wal']);
  for (const file of files) assert.equal(statSync(directory.at('a', 'b', file)).mode & 0o777, 0o600, file);
  await store.close();
});

test('what was written is there after closing and opening', async () => {
  using directory = tree();
  const first = await openSqliteStore(directory.at('runs.db'));
  await first.set('s', 'k', 1);
  await first.close();
  const second = await openSqliteStore(directory.at('runs.db'));
  assert.equal(await second.get('s', 'k'), 1);
  await second.close();
});

/** Calls while this process also holds the lock. A wait that blocks the event loop would never end. */
async function whileLocked(store: Store, file: string, call: () => Promise<unknown>): Promise<void> {
  using other = new DatabaseSync(file);
  other.exec('begin immediate');
  let isDone = false;
  const done = call().finally(() => (isDone = true));
  for (let turns = 0; turns < 50; turns += 1) await turn();
  assert.equal(isDone, false, 'it did not wait for the lock');
  await store.get('s', 'k'); // readers need no lock
  other.exec('rollback');
  await done;
}

test('a lock of somebody else makes writers wait without stopping the process', async () => {
  using directory = tree();
  const file = directory.at('runs.db');
  const store = await openSqliteStore(file);
  const epoch = await store.claim('r1', 'me');
  await whileLocked(store, file, () => store.append('r1', epoch, []));
  await whileLocked(store, file, () => store.set('s', 'k', 1));
  await whileLocked(store, file, () => store.claim('r1', 'me'));
  await store.close();
});

test('a loop of writes lets the event loop turn', async () => {
  using directory = tree();
  const store = await openSqliteStore(directory.at('runs.db'));
  await store.set('s', 'k', 0);
  let isTurned = false;
  setImmediate(() => (isTurned = true));
  for (let writes = 0; writes < 5_000 && !isTurned; writes += 1) await store.set('s', 'k', writes);
  assert.ok(isTurned);
  await store.close();
});

test('opening a new store waits for the lock as well', async () => {
  using directory = tree();
  const file = directory.write('runs.db', '');
  const other = new DatabaseSync(file);
  other.exec('begin exclusive');
  let isOpen = false;
  const opening = openSqliteStore(file).finally(() => (isOpen = true));
  await Promise.all([import('../sql/store.ts'), import('./store.ts')]);
  for (let turns = 0; turns < 50; turns += 1) await turn();
  assert.equal(isOpen, false);
  other.exec('rollback');
  other.close();
  await (await opening).close();
});

test('a lock that is never given back ends in an error that says so', async () => {
  using directory = tree();
  const file = directory.at('runs.db');
  await (await openSqliteStore(file)).close();
  using other = new DatabaseSync(file);
  const mine = await openSqlite(file, { use: 'store', location: file, patience: 40 });
  other.exec('begin immediate');
  const attempt = mine.batch([{ sql: "delete from entries where space = ''", parameters: [] }]);
  await assert.rejects(attempt, { code: 'sandbox.store', message: /runs\.db was locked/, hint: /process/ });
  await mine.close();
});

test('many openings of a new store at once all succeed', async () => {
  using directory = tree();
  const stores = await Promise.all(
    Array.from({ length: 10 }, () => openSqliteStore(directory.at('runs.db'))),
  );
  await Promise.all(stores.map((store, index) => store.set('s', String(index), index)));
  assert.equal((await stores[0]?.entries('s'))?.size, 10);
  for (const store of stores) await store.close();
});

test('what is not a store is refused with its path and a hint', async () => {
  using directory = tree({
    'text.db': 'This is a text of some length, and by no means a database.\n'.repeat(20),
  });
  mkdirSync(directory.at('folder.db'));
  for (const file of [
    directory.at('text.db'),
    directory.at('folder.db'),
    directory.at('text.db', 'below.db'),
  ])
    await assert.rejects(openSqliteStore(file), (thrown: Error & { code?: string; hint?: string }) => {
      assert.equal(thrown.code, 'sandbox.store');
      assert.ok(thrown.message.includes(file) && thrown.hint !== undefined, thrown.message);
      return true;
    });
});

test('a failure in the middle of an append leaves nothing', async () => {
  using directory = tree();
  const store = await openSqliteStore(directory.at('runs.db'));
  const epoch = await store.claim('r1', 'me');
  const other = new DatabaseSync(directory.at('runs.db'));
  other.exec("create trigger refuse before insert on entries begin select raise(abort, 'no'); end");
  const note = { frameId: '', at: 1, type: 'note.added', key: 'n', message: 'x' } as const;
  await assert.rejects(store.append('r1', epoch, [note], [{ space: 's', key: 'k', value: 1 }]), {
    code: 'sandbox.store',
  });
  other.exec('drop trigger refuse');
  other.close();
  assert.equal(await store.append('r1', epoch, [note], [{ space: 's', key: 'k', value: 1 }]), 1);
  await store.close();
});

test('loading SQLite prints nothing, and other warnings are printed as before', async () => {
  const program = `
    const { openSqliteStore } = await import(${JSON.stringify(sourceUrl('src/stores/sqlite/store.ts'))});
    const store = await openSqliteStore(process.argv[1]);
    await store.close();
    process.emitWarning('still heard');`;
  using directory = tree();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    ...['--input-type=module', '--eval', program, directory.at('runs.db')],
  ]);
  assert.equal(stdout, '');
  assert.match(stderr, /^\(node:\d+\) Warning: still heard\n\(Use `node --trace-warnings/);
  assert.ok(existsSync(directory.at('runs.db')));
});

test('an event that is damaged or of a newer version is an error that names it', async () => {
  for (const [change, says] of [
    ['body = \'{"key":\'', /^Event 2 of run r1 is damaged\.$/],
    ['v = 1000', /^Event 2 of run r1 was written by a newer version\.$/],
  ] as const) {
    using directory = tree();
    const store = await openSqliteStore(directory.at('runs.db'));
    const epoch = await store.claim('r1', 'me');
    const note = { frameId: '', at: 1, type: 'note.added', key: 'n', message: 'x' } as const;
    await store.append('r1', epoch, [note, note, note]);
    const other = new DatabaseSync(directory.at('runs.db'));
    other.exec(`update events set ${change} where run_id = 'r1' and seq = 2`);
    other.close();
    const read: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const { seq } of store.read('r1')) read.push(seq);
    };
    await assert.rejects(reading(), { code: 'sandbox.store', message: says, hint: /./ });
    assert.ok(!read.includes(2));
    await store.close();
  }
});
