import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../../test/support/new-databases.ts';
import { killInside } from '../../../../test/support/schema-processes.ts';
import { readRows, writeRow } from '../../../../test/support/schema-rows.ts';
import { builtTable } from '../../../../test/support/written-table.ts';
import type { Json } from '../../../core/json.ts';
import type { Table } from '../table.ts';
import { applyProposal } from './build-schema.ts';
import { openSchema, type OpenedSchema } from './open-schema.ts';

const key = { id: 'Type: integer; Primary Key' };
const quiet = { blocked: [], proposed: [] };
const summaryOf = ({ blocked, proposed }: OpenedSchema): object => ({ blocked, proposed });

await onBothDatabases((open, kind) => {
  test('gets new columns with their defaults, and indexes, without losing a record', async () => {
    await using db = await open();
    const before = builtTable({ ...key, name: '' });
    await writeRow(db, before, (await openSchema(db.database, before)).physical, { name: 'Saw' });
    const after = builtTable({
      ...key,
      name: 'Unique',
      area: 'Type: integer; Default: 7; Required',
      on: 'Type: date; Default: today',
      ok: 'Type: boolean; Default: yes',
    });
    const { physical, ...more } = await openSchema(db.database, after);
    assert.deepEqual(more, quiet);
    assert.deepEqual(await readRows(db, after, physical), [
      { id: 1, name: 'Saw', area: 7, on: null, ok: true },
    ]);
    await assert.rejects(writeRow(db, after, physical, { name: 'Saw' }), { code: 'usage.bad-input' });
    const loose = builtTable({ ...key, name: '' });
    await writeRow(db, loose, (await openSchema(db.database, loose)).physical, { name: 'Saw' });
  });

  test('is blocked while values are not unique, and names them', async () => {
    await using db = await open();
    const before = builtTable({ ...key, name: '' });
    const { physical } = await openSchema(db.database, before);
    for (const name of ['Saw', 'Saw', 'Drill', 'Drill', 'Axe'])
      await writeRow(db, before, physical, { name });
    const after = builtTable({ ...key, name: 'Unique', more: '' });
    const [proposal] = (await openSchema(db.database, after)).blocked;
    assert.equal(proposal?.kind, 'unique');
    assert.match(
      proposal.text,
      /"name" is unique in the file, but several records have the same value: Drill, Saw\./,
    );
    assert.ok(proposal.obstacle !== undefined);
    await assert.rejects(applyProposal(db.database, after, proposal), { code: 'usage.bad-input' });
    await db.run('delete from items where id in (2, 4)');
    assert.deepEqual(summaryOf(await openSchema(db.database, after)), quiet);
  });

  test('keeps the values of a field that is gone until somebody lets them go', async () => {
    await using db = await open();
    const before = builtTable({ ...key, name: '', old: 'Index' });
    await writeRow(db, before, (await openSchema(db.database, before)).physical, {
      name: 'Saw',
      old: 'x',
    });
    const after = builtTable({ ...key, name: '' });
    const opened = await openSchema(db.database, after);
    const [proposal] = opened.proposed;
    assert.deepEqual([opened.blocked, proposal?.kind, proposal?.losesData], [[], 'drop', true]);
    assert.match(proposal?.text ?? '', /which holds 1 value\.$/);
    assert.match(proposal?.sql.at(-1) ?? '', /drop column "old"$/);
    assert.equal((await db.run('select old from items'))[0]?.['old'], 'x');
    assert.ok(proposal !== undefined);
    assert.equal(await applyProposal(db.database, after, proposal), 'applied');
    assert.equal(await applyProposal(db.database, after, proposal), 'gone');
    assert.deepEqual(summaryOf(await openSchema(db.database, after)), quiet);
    assert.deepEqual(Object.keys((await db.run('select * from items'))[0] ?? {}), ['id', 'name']);
  });

  const changes: readonly (readonly [
    from: string,
    to: string,
    before: readonly Json[],
    after: readonly Json[],
  ])[] = [
    ['string', 'integer', ['7', ' 12 ', null], [7, 12, null]],
    ['string', 'decimal', ['0.5', '3'], [0.5, 3]],
    ['string', 'boolean', ['yes', 'off'], [true, false]],
    ['string', 'date', ['2026-11-16', '16 November 2026'], ['2026-11-16', '2026-11-16']],
    ['string', 'datetime', ['2026-11-16 10:00'], ['2026-11-16T10:00:00.000Z']],
    ['string', 'uuid', ['6F9619FF-8B86-D011-B42D-00CF4FC964FF'], ['6f9619ff-8b86-d011-b42d-00cf4fc964ff']],
    ['string', 'json', ['{"a": 1}'], [{ a: 1 }]],
    ['integer', 'string', [7, null], ['7', null]],
    ['integer', 'decimal', [7], [7]],
    ['decimal', 'string', [5, 0.25], ['5', '0.25']],
    ['boolean', 'string', [true, false], ['true', 'false']],
    ['date', 'datetime', ['2026-11-16'], ['2026-11-16T00:00:00.000Z']],
    ['json', 'string', [{ a: [1] }], ['{"a":[1]}']],
  ];
  test('converts every value of a column to another type once that is approved', async () => {
    await using db = await open();
    const fieldsOf = (side: 0 | 1): Record<string, string> =>
      Object.fromEntries(changes.map((change, index) => [`c${index}`, `Type: ${change[side]}; Index`]));
    const before = builtTable({ ...key, ...fieldsOf(0), name: '' });
    const first = await openSchema(db.database, before);
    const rowOf = (side: 2 | 3, row: number): Record<string, Json> =>
      Object.fromEntries(changes.map((change, index) => [`c${index}`, change[side][row] ?? null]));
    for (const row of [0, 1]) await writeRow(db, before, first.physical, { ...rowOf(2, row), name: 'n' });
    const after = builtTable({ ...key, ...fieldsOf(1), name: '' });
    const { blocked, proposed } = await openSchema(db.database, after);
    // SQLite stores both as text, so JSON becomes a string without a change.
    assert.deepEqual(
      [proposed, blocked.length],
      [[], kind === 'sqlite' ? changes.length - 1 : changes.length],
    );
    for (const proposal of blocked) {
      assert.deepEqual([proposal.kind, proposal.obstacle], ['type', undefined]);
      assert.match(proposal.text, /\. [1-9]\d* values? would be converted\.$/);
      assert.ok(proposal.sql.length > 0 && !proposal.losesData);
      assert.equal(await applyProposal(db.database, after, proposal), 'applied');
    }
    const { physical, ...more } = await openSchema(db.database, after);
    assert.deepEqual(more, quiet);
    const expected = [0, 1].map((row) => ({ id: row + 1, ...rowOf(3, row), name: 'n' }));
    assert.deepEqual(await readRows(db, after, physical), expected);
    await db.run('delete from items where id = 2');
    await writeRow(db, after, physical, { ...rowOf(3, 0), name: 'third' });
    assert.equal((await readRows(db, after, physical))[1]?.['id'], 3, 'numbers are not given again');
  });

  test('converts nothing when one value cannot be', async () => {
    await using db = await open();
    const before = builtTable({ ...key, value: '' });
    const { physical } = await openSchema(db.database, before);
    for (const value of ['7', 'seven', 'today']) await writeRow(db, before, physical, { value });
    for (const [type, unfit] of [
      ['integer', ['seven', 'today']],
      ['date', ['7', 'seven', 'today']],
    ] as const) {
      const after = builtTable({ ...key, value: `Type: ${type}` });
      const [proposal] = (await openSchema(db.database, after)).blocked;
      const shown = unfit.map((value) => `"${value}"`).join(', ');
      assert.ok(proposal !== undefined);
      assert.ok(proposal.obstacle?.includes(`cannot be converted, such as ${shown}. `));
      await assert.rejects(applyProposal(db.database, after, proposal), { code: 'usage.bad-input' });
    }
    assert.deepEqual(summaryOf(await openSchema(db.database, before)), quiet);
    assert.deepEqual(
      (await db.run('select value from items order by id')).map(({ value }) => value),
      ['7', 'seven', 'today'],
    );
  });

  test('gets another key once that is approved, and not while records would share one', async () => {
    await using db = await open();
    const before = builtTable({ code: 'Primary Key: given', name: '' });
    const { physical } = await openSchema(db.database, before);
    for (const code of ['a', 'b']) await writeRow(db, before, physical, { code, name: 'same' });
    const shared = builtTable({ code: '', name: 'Primary Key: given' });
    assert.match(
      (await openSchema(db.database, shared)).blocked[0]?.obstacle ?? '',
      /the same key, such as same/,
    );
    const own = builtTable({ code: '', name: '' });
    const [proposal] = (await openSchema(db.database, own)).blocked;
    assert.match(
      proposal?.text ?? '',
      /^The key of "items" is "code" but should be "id"\. This affects 2 records\.$/,
    );
    assert.equal(await applyProposal(db.database, own, proposal!), 'applied');
    const opened = await openSchema(db.database, own);
    assert.deepEqual(summaryOf(opened), quiet);
    await writeRow(db, own, opened.physical, { code: 'b', name: 'third' });
    const found = await readRows(db, own, opened.physical);
    assert.deepEqual(found.map((row) => (row as { id: Json }).id).sort(), [1, 2, 3]);
  });

  test('may open less by itself, and more only when somebody approves', async () => {
    await using db = await open();
    const policy = (text: string): Table => builtTable(key, text && `\n## Role Access Policy\n\n${text}\n`);
    const narrow = policy('- Read: Clerk\n- Write: Manager');
    await openSchema(db.database, narrow);
    assert.deepEqual(
      summaryOf(await openSchema(db.database, policy('- Read: clerk\n- Write: MANAGER'))),
      quiet,
    );
    const [wider] = (await openSchema(db.database, policy(''))).blocked;
    assert.match(wider?.text ?? '', /grants more than was approved.*in the file everyone may read and write/);
    const open1 = policy('- Read: Clerk, Guest\n- Write: Manager');
    const [proposal] = (await openSchema(db.database, open1)).blocked;
    assert.equal(await applyProposal(db.database, open1, proposal!), 'applied');
    assert.deepEqual(summaryOf(await openSchema(db.database, open1)), quiet);
    const again = await openSchema(db.database, narrow);
    assert.deepEqual([again.blocked, again.proposed.map(({ kind: one }) => one)], [[], ['narrower-roles']]);
    assert.equal(await applyProposal(db.database, narrow, again.proposed[0]!), 'applied');
    assert.equal((await openSchema(db.database, open1)).blocked.length, 1);
  });

  test('a process that is killed in the middle of a change leaves the table as it was', async () => {
    await using db = await open();
    const before = builtTable({ ...key, value: '' });
    const { physical } = await openSchema(db.database, before);
    for (const value of ['1', '2']) await writeRow(db, before, physical, { value });
    const fields = { ...key, value: 'Type: integer' };
    const after = builtTable(fields);
    const [proposal] = (await openSchema(db.database, after)).blocked;
    const stops = kind === 'sqlite' ? ['drop table', 'alter table'] : ['alter table'];
    for (const stopAfter of [...stops, 'insert into skilled_tables']) {
      await killInside({ location: db.location, fields, apply: proposal?.id ?? '', stopAfter });
      assert.deepEqual(summaryOf(await openSchema(db.database, before)), quiet);
      const found = await readRows(db, before, physical);
      assert.deepEqual(found, [
        { id: 1, value: '1' },
        { id: 2, value: '2' },
      ]);
    }
    assert.equal(await applyProposal(db.database, after, { id: proposal?.id ?? '' }), 'applied');
    const opened = await openSchema(db.database, after);
    assert.deepEqual(await readRows(db, after, opened.physical), [
      { id: 1, value: 1 },
      { id: 2, value: 2 },
    ]);
  });
});
