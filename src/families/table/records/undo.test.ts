import assert from 'node:assert/strict';
import { recordDatabases } from '../../../../test/support/record-databases.ts';
import { openRecordsOf, tableOf, type OpenedRecords } from '../../../../test/support/records-stage.ts';
import type { Json } from '../../../core/json.ts';
import type { TableRow } from '../table.ts';
import type { Change, Written } from './change.ts';

const onDatabases = await recordDatabases();
const fields = { label: '', serial: 'Unique', extra: 'Type: json', rank: 'Type: integer' };

let undone = 0;

async function undo({ records }: OpenedRecords, session = 's'): Promise<Written> {
  const last = await records.lastWrite(session);
  assert.ok(last !== undefined, 'there is something to take back');
  return records.undo(last, { stepId: `undo ${++undone}`, session });
}

onDatabases('adding, changing and deleting are taken back one after the other', async (database, name) => {
  const opened = await openRecordsOf(database, tableOf(name, fields));
  const { add, write, rows, records } = opened;
  await add({ label: 'a', serial: 'A', extra: { z: [1], a: null }, rank: 1 }, { label: 'b' });
  const [one, two] = (await rows()) as [TableRow, TableRow];
  const states: (readonly TableRow[])[] = [[], [one, two]];
  const steps: readonly (() => readonly Change[])[] = [
    () => [{ kind: 'update', before: one, after: { ...one, label: null, rank: 0 } }],
    () => [{ kind: 'delete', before: { ...one, label: null, rank: 0 } }],
    () => [
      { kind: 'update', before: two, after: { ...two, extra: false } },
      { kind: 'add', after: { id: 77, serial: 'A' } },
    ],
  ];
  for (const changes of steps) {
    assert.equal((await write(changes())).outcome, 'done');
    states.push(await rows());
  }
  for (const state of states.slice(0, -1).reverse()) {
    assert.equal((await undo(opened)).outcome, 'done');
    assert.deepEqual(await rows(), state);
  }
  assert.equal(await records.lastWrite('s'), undefined, 'what took something back is not offered');
});

onDatabases('what changed since is not taken back, nor is anything twice', async (database, name) => {
  const opened = await openRecordsOf(database, tableOf(name, fields));
  const { add, write, rows, records } = opened;
  await add({ label: 'a' }, { label: 'b' });
  const [one, two] = (await rows()) as [TableRow, TableRow];
  const last = await records.lastWrite('s');
  await write([{ kind: 'update', before: one, after: { ...one, rank: 5 } }], 'other');
  assert.deepEqual(await undo(opened), { outcome: 'stale', now: [{ ...one, rank: 5 }] });
  assert.equal((await rows()).length, 2);
  assert.equal((await undo(opened, 'other')).outcome, 'done');
  assert.equal((await undo(opened)).outcome, 'done');
  const again = await records.undo(last!, { stepId: `again ${name}`, session: 's' });
  assert.deepEqual(again, {
    outcome: 'refused',
    faults: [{ index: 0, message: 'That change has already been undone.' }],
  });
  assert.deepEqual(
    await records.undo({ ...last!, stepId: 'nothing' }, { stepId: `never ${name}`, session: 's' }),
    {
      outcome: 'refused',
      faults: [{ index: 0, message: 'That change is too old to undo.' }],
    },
  );
  await add({ ...two, serial: 'S' });
  await write([{ kind: 'delete', before: { ...two, serial: 'S' } }]);
  await write([{ kind: 'add', after: { label: 'thief', serial: 'S' } }], 'other');
  const refused = await undo(opened);
  assert.ok(refused.outcome === 'refused');
  assert.match(refused.faults[0]?.message ?? '', /"serial" must be unique: the record \d+ already has "S"/);
});

onDatabases(
  'taking back happens once per step, and sessions and tables are apart',
  async (database, name) => {
    const [mine, other] = await Promise.all(
      ['', ' other'].map((more) => openRecordsOf(database, tableOf(name + more, fields))),
    );
    await mine!.write([{ kind: 'add', after: { label: 'mine' } }], 'me');
    await other!.write([{ kind: 'add', after: { label: 'other' } }], 'me');
    await mine!.write([{ kind: 'add', after: { label: 'hers' } }], 'she');
    const last = await mine!.records.lastWrite('me');
    assert.deepEqual(
      last?.changes.map((change) => change.kind === 'delete' && change.before['label']),
      ['mine'],
    );
    const author = { stepId: `${name} undo`, session: 'me' };
    const tries = await Promise.all(Array.from({ length: 4 }, () => mine!.records.undo(last, author)));
    for (const one of tries) assert.deepEqual(one, tries[0]);
    assert.equal(tries[0]?.outcome, 'done');
    assert.deepEqual(
      (await mine!.rows()).map(({ label }) => label),
      ['hers'],
    );
    assert.equal((await other!.rows()).length, 1);
    assert.equal(await mine!.records.lastWrite('nobody'), undefined);
  },
);

onDatabases('old writes can no longer be taken back, and say so', async (database, name) => {
  const opened = await openRecordsOf(database, tableOf(name, { rank: 'Type: integer' }));
  for (let rank = 0; rank < 70; rank++)
    await opened.write([{ kind: 'add', after: { rank } }], rank === 0 ? 'first' : 's');
  const [row] = await database.read({
    sql: `select count(*) as images from skilled_undo where write_number in (
      select number from skilled_writes where table_name like '%${opened.table.sqlName}')`,
    parameters: [],
  });
  assert.ok(Number(row?.['images']) < 60, 'what is old is forgotten');
  const last = await opened.records.lastWrite('first');
  assert.deepEqual(
    [last?.changes, last?.unrecoverableCount] satisfies readonly (Json | readonly Change[] | undefined)[],
    [[], 1],
  );
  const refused = await undo(opened, 'first');
  assert.ok(refused.outcome === 'refused');
  assert.match(refused.faults[0]?.message ?? '', /\b1 record\b.* cannot be undone/);
  assert.equal((await undo(opened)).outcome, 'done');
});
