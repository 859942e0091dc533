import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { inspectStore } from './adopt.ts';
import { openForeignStore } from './foreign-store.ts';
import { openSqliteStore } from './store.ts';

async function history(): Promise<{ files: Tree; store: string }> {
  const files = tree();
  const store = files.at('runs.db');
  const opened = await openSqliteStore(store);
  await opened.claim('r_1', 'somebody');
  await opened.close();
  return { files, store };
}

function change(store: string, sql: string): void {
  using connection = new DatabaseSync(store, { defensive: false });
  connection.exec(sql);
}

test('a foreign store is read without touching it, with what its log of writes says', async () => {
  const { files, store } = await history();
  using _files = files;
  const writer = new DatabaseSync(store);
  writer.exec("update runs set title = 'in the log'");
  const snapshot = (): unknown =>
    readdirSync(files.path).map((name) => [name, readFileSync(files.at(name)).toString('hex')]);
  const before = snapshot();
  const opened = await openForeignStore(store);
  const [run] = await opened.runs();
  assert.deepEqual([run?.id, run?.title], ['r_1', 'in the log']);
  await assert.rejects(opened.claim('r_2', 'x'), { code: 'sandbox.store' });
  await opened.close();
  assert.deepEqual(snapshot(), before);
  writer.close();
});

const hostile: Readonly<Record<string, (store: string) => void>> = {
  'a trigger': (store) =>
    change(
      store,
      "create trigger t after insert on runs begin insert into entries values ('answers/x', 'q', null, '{}', null); end",
    ),
  'a view in the place of a table': (store) =>
    change(
      store,
      'drop table events; create view events as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n',
    ),
  'another table': (store) => change(store, 'create table more (x)'),
  'a virtual table': (store) => change(store, 'create virtual table more using fts5(x)'),
  'a number as a title': (store) => change(store, "update runs set title = x'00'"),
  'a value that is not JSON': (store) =>
    change(store, "insert into entries values ('sessions', 'x', null, '{', null)"),
  'damaged pages': (store) => {
    change(store, 'pragma journal_mode = delete');
    const bytes = readFileSync(store);
    bytes.fill(0xff, 4_096, 3 * 4_096);
    writeFileSync(store, bytes);
  },
  'a link in its place': (store) => {
    renameSync(store, `${store}.real`);
    symlinkSync(`${store}.real`, store);
  },
  'a link in the place of its log': (store) => symlinkSync(store, `${store}-wal`),
};
for (const [what, make] of Object.entries(hostile))
  test(`a foreign store with ${what} is not read`, async () => {
    const { files, store } = await history();
    using _files = files;
    make(store);
    const before = readFileSync(store);
    for (const read of [openForeignStore, inspectStore])
      await assert.rejects(read(store), { code: 'sandbox.store' });
    assert.deepEqual(readFileSync(store), before);
  });
