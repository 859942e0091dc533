import assert from 'node:assert/strict';
import { recordDatabases } from '../../../../test/support/record-databases.ts';
import { openRecordsOf, tableOf } from '../../../../test/support/records-stage.ts';
import type { Json } from '../../../core/json.ts';
import type { TableRow } from '../table.ts';
import type { Change, Written } from './change.ts';

const onDatabases = await recordDatabases();

function faultsOf(written: Written): readonly string[] {
  assert.equal(written.outcome, 'refused', JSON.stringify(written));
  return written.outcome === 'refused'
    ? written.faults.map(({ index, field, message }) => `${index} ${field ?? '-'}: ${message}`)
    : [];
}

function update(before: TableRow, set: TableRow): Change {
  return { kind: 'update', before, after: { ...before, ...set } };
}

onDatabases('what clashes is named, and nothing is written', async (database, name) => {
  const fields = { code: 'Type: string; Primary Key: given', serial: 'Unique', rank: 'Type: integer' };
  const { add, write, rows, records } = await openRecordsOf(database, tableOf(name, fields));
  const first = { code: 'a', serial: 'S', rank: 1 };
  const second = { code: 'b', serial: 'T', rank: 2 };
  await add(first, second);
  const unique = '"serial" must be unique';
  const cases: readonly (readonly [readonly Change[], Json])[] = [
    [[{ kind: 'add', after: { code: 'a' } }], [`0 code: ${name} already has the record "a".`]],
    [
      [
        { kind: 'add', after: { code: 'c' } },
        { kind: 'add', after: { code: 'c' } },
      ],
      ['1 code: Change 1 already uses the key "c".'],
    ],
    [
      [
        { kind: 'add', after: { code: 'c', serial: 'U' } },
        { kind: 'add', after: { code: 'd', serial: 'S' } },
      ],
      [`1 serial: ${unique}: the record "a" already has "S".`],
    ],
    [
      [
        { kind: 'add', after: { code: 'c', serial: 'U' } },
        { kind: 'add', after: { code: 'd', serial: 'U' } },
      ],
      [`1 serial: ${unique}, but change 1 already uses "U".`],
    ],
    [[update(first, { serial: 'T' })], [`0 serial: ${unique}: the record "b" already has "T".`]],
    [
      [update(first, { code: 'z' })],
      ['0 -: "code" is part of the key, which cannot change after a record is written.'],
    ],
    [[{ kind: 'add', after: { serial: 'X' } }], ['0 -: "code" is part of the key but has no value.']],
    [
      [update(first, { rank: 5 }), { kind: 'delete', before: first }],
      ['1 -: Change 1 already changes the record "a".'],
    ],
  ];
  for (const [changes, faults] of cases) {
    const checked = await records.check(changes);
    assert.deepEqual(faultsOf({ outcome: 'refused', faults: checked }), faults, 'it can be known before');
    assert.deepEqual(faultsOf(await write(changes)), faults);
    assert.deepEqual(await rows(), [first, second]);
  }
  assert.equal((await add({ code: 'A', serial: 's' })).outcome, 'done', 'keys and unique values are exact');
  const moved: Change[] = [
    { kind: 'delete', before: first },
    update(second, { serial: 'S' }),
    { kind: 'add', after: { code: 'a', serial: 'T', rank: 0 } },
  ];
  assert.deepEqual(await records.check(moved), []);
  assert.deepEqual((await rows()).length, 3, 'nothing of a check stays');
  assert.equal((await write(moved)).outcome, 'done', 'what one gives up, another one can have');
  assert.deepEqual((await rows()).slice(1), [
    { code: 'a', serial: 'T', rank: 0 },
    { code: 'b', serial: 'S', rank: 2 },
  ]);
});

onDatabases(
  'a record that is not as it was seen is not touched, nor are the others',
  async (database, name) => {
    const { add, write, rows, records } = await openRecordsOf(
      database,
      tableOf(name, { rank: 'Type: integer', extra: 'Type: json' }),
    );
    assert.deepEqual(await records.check([{ kind: 'add', after: { rank: 1 } }]), []);
    await add({ rank: 1, extra: { b: 1, a: 2 } }, { rank: 2 }, { rank: 3 });
    const [one, two, three] = (await rows()) as [TableRow, TableRow, TableRow];
    assert.equal(one['id'], 1, 'a check uses up no number');
    await write([update(two, { rank: 20 }), { kind: 'delete', before: three }]);
    const now = await rows();
    for (const changes of [
      [update(one, { rank: 5 }), update(two, { extra: 1 })],
      [
        { kind: 'delete', before: two },
        { kind: 'add', after: {} },
      ],
    ] satisfies readonly Change[][]) {
      assert.deepEqual(await write(changes), { outcome: 'stale', now: [{ ...two, rank: 20 }] });
    }
    assert.deepEqual(await write([{ kind: 'delete', before: three }, update(one, { rank: 1 })]), {
      outcome: 'stale',
      now: [null],
    });
    assert.deepEqual(await rows(), now);
    assert.equal((await write([update({ ...one, extra: { a: 2, b: 1 } }, { rank: 9 })])).outcome, 'done');
  },
);

onDatabases('references hold on both sides, whoever writes', async (database, name) => {
  const other = `${name}_parts`;
  const parts = tableOf(
    other,
    { code: 'Type: string; Primary Key: given', label: 'Unique' },
    `## Relationships\n- Referenced By: ${name}.missing\n`,
  );
  const things = tableOf(
    name,
    { part: '', label: '', parent: 'Type: integer', gone: '' },
    `## Relationships\n- Field: part references ${other}.code\n- Field: label references ${other}.label\n- Field: parent references ${name}.id\n- Field: gone references nowhere.id\n`,
  );
  const open = await openRecordsOf(database, things);
  const others = await openRecordsOf(
    database,
    tableOf(other, { code: 'Type: string; Primary Key: given', label: 'Unique' }),
  );
  await others.add({ code: 'p', label: 'P' }, { code: 'q', label: 'Q' }, { code: 'r' });
  assert.deepEqual(faultsOf(await open.add({ part: 'p' }, { part: 'P' }, { gone: 'x' })), [
    `1 part: "part" refers to ${other}, and there is no "P" in it.`,
    '2 gone: "gone" refers to nowhere, and there is no table "nowhere" with a column "id".',
  ]);
  assert.equal((await open.rows()).length, 0);
  assert.equal(
    (await open.add({ id: 1, part: 'p' }, { id: 2, label: 'Q', parent: 1 }, { id: 3, parent: 3 })).outcome,
    'done',
  );
  const [first, second] = (await open.rows()) as [TableRow, TableRow];
  assert.deepEqual(faultsOf(await open.write([update(first, { part: 'z' })])), [
    `0 part: "part" refers to ${other}, and there is no "z" in it.`,
  ]);
  assert.deepEqual(faultsOf(await open.write([{ kind: 'delete', before: first }])), [
    `0 -: The record 1 cannot be deleted because ${name} refers to it.`,
  ]);

  const [p, q, r] = (await others.rows()) as [TableRow, TableRow, TableRow];
  assert.deepEqual(
    faultsOf(await others.write([p, q, r].map((before): Change => ({ kind: 'delete', before })))),
    [
      `0 -: The record "p" cannot be deleted because ${name} refers to it.`,
      `1 -: The record "q" cannot be deleted because ${name} refers to it.`,
    ],
  );
  assert.deepEqual(faultsOf(await others.write([update(q, { label: 'N' })])), [
    `0 label: "label" of "q" cannot change from "Q" because ${name} refers to it.`,
  ]);
  const unknown = `${name} might refer to records in ${other}, but this cannot be checked: it has no column "missing".`;
  assert.deepEqual(
    faultsOf(await (await openRecordsOf(database, parts)).write([{ kind: 'delete', before: r }])),
    [`0 -: ${unknown}`],
  );
  assert.equal(
    (await others.write([{ kind: 'delete', before: r }, update(p, { label: 'N' })])).outcome,
    'done',
  );
  assert.equal(
    (
      await open.write([
        { kind: 'delete', before: first },
        { kind: 'delete', before: second },
      ])
    ).outcome,
    'done',
    'both go together',
  );
});

onDatabases(
  'a guard that is not known, a view, and a rule of the database refuse',
  async (database, name) => {
    const ranked = await openRecordsOf(database, tableOf(name, { rank: 'Type: integer' }));
    await ranked.add({ rank: 1 });
    const [row] = (await ranked.rows()) as [TableRow];
    const strict = { ...ranked.table, deleteGuard: 'unknown' } as const;
    assert.deepEqual(
      faultsOf(await (await openRecordsOf(database, strict)).write([{ kind: 'delete', before: row }])),
      [`0 -: No record of ${name} can be deleted because its delete guard is unknown.`],
    );
    const { sqlName } = ranked.table;
    await database.write((run) =>
      run({
        sql: `create table ${sqlName}_c (id integer primary key, rank integer check (rank < 5))`,
        parameters: [],
      }),
    );
    await database.write((run) =>
      run({ sql: `create view ${sqlName}_v as select * from ${sqlName}`, parameters: [] }),
    );
    const view = await openRecordsOf(
      database,
      tableOf(`${name} v`, { id: 'Type: integer; Primary Key: given', rank: 'Type: integer' }),
    );
    assert.deepEqual(await view.rows(), [row]);
    assert.match(
      faultsOf(await view.add({ id: 7 })).join(),
      /is a database view, so its records can only be read/,
    );
    const checked = await openRecordsOf(
      database,
      tableOf(`${name} c`, { id: 'Type: integer; Primary Key: given', rank: 'Type: integer' }),
    );
    assert.match(
      faultsOf(await checked.add({ id: 1, rank: 1 }, { id: 2, rank: 9 })).join(),
      /refused one of 2 changes/,
    );
    assert.deepEqual(await checked.rows(), []);
  },
);

onDatabases('one step writes once, however often and by how many it is tried', async (database, name) => {
  const { records, rows } = await openRecordsOf(database, tableOf(name, { rank: 'Type: integer' }));
  const author = { stepId: `${name} once`, session: 's' };
  const tries = Array.from({ length: 8 }, () => records.write([{ kind: 'add', after: { rank: 1 } }], author));
  const [first, ...others] = await Promise.all(tries);
  assert.equal(first?.outcome, 'done');
  for (const other of [...others, await records.write([], author), await records.written(author.stepId)])
    assert.deepEqual(other, first);
  assert.equal((await rows()).length, 1);
  assert.equal(await records.written('another'), undefined);
});

onDatabases(
  'of many who add the same value at once one does, and the others are told who',
  async (database, name) => {
    const { add, rows } = await openRecordsOf(database, tableOf(name, { serial: 'Unique' }));
    const written = await Promise.all(Array.from({ length: 8 }, () => add({ serial: 'S' })));
    assert.deepEqual(written.map(({ outcome }) => outcome).sort(), [
      'done',
      ...Array.from({ length: 7 }, () => 'refused'),
    ]);
    const [row] = await rows();
    for (const one of written.filter(({ outcome }) => outcome === 'refused'))
      assert.deepEqual(faultsOf(one), [
        `0 serial: "serial" must be unique: the record ${row?.['id'] as number} already has "S".`,
      ]);
  },
);

onDatabases(
  'numbers go on after those that were given by hand, in the order of the records',
  async (database, name) => {
    const { add, rows } = await openRecordsOf(database, tableOf(name, { label: '' }));
    await add({ id: 41, label: 'a' });
    const written = await add({ label: 'b' }, { id: 50, label: 'c' }, { label: 'd' }, {}, {});
    assert.ok(written.outcome === 'done');
    assert.deepEqual(
      written.rows.map(({ id, label }) => [id, label]),
      [
        [51, 'b'],
        [50, 'c'],
        [52, 'd'],
        [53, null],
        [54, null],
      ],
    );
    assert.equal((await rows()).length, 6);
  },
);

onDatabases('thousands are written together, and a composite key is one key', async (database, name) => {
  const fields = {
    left: 'Type: string; Primary Key: given',
    right: 'Type: integer; Primary Key: given',
    rank: 'Type: integer',
  };
  const { add, write, rows, records } = await openRecordsOf(database, tableOf(name, fields));
  const newRows = Array.from({ length: 3_001 }, (_, index) => ({
    left: `l${index % 3}`,
    right: Math.floor(index / 3),
    rank: index,
  }));
  assert.deepEqual(
    await add(...newRows).then((one) => one.outcome === 'done' && [one.added, one.rows.length]),
    [3_001, 20],
  );
  assert.deepEqual(faultsOf(await add({ left: 'l0', right: 5 })), [
    `0 -: ${name} already has the record left "l0", right 5.`,
  ]);
  const all = await rows();
  const changed = await write(all.map((row) => update(row, { rank: Number(row['rank']) % 4 })));
  assert.ok(changed.outcome === 'done' && changed.updated === 3_001);
  assert.equal(await records.count({ field: 'rank', is: 'less', value: 4 }), 3_001);
  const gone = await write((await rows()).slice(1).map((before) => ({ kind: 'delete', before })));
  assert.ok(gone.outcome === 'done' && gone.deleted === 3_000);
});
