import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  clock,
  importText,
  mayAll,
  tableOf,
  tableOfAllTypes,
} from '../../../../test/support/transfer-stage.ts';
import { tree } from '../../../../test/support/tree.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import { guardCell, unguardCell } from '../../../files/csv.ts';
import { openSqliteDatabase } from '../../../stores/sqlite/database.ts';
import { createTestScope } from '../../../testing/test-scope.ts';
import { readValue } from '../read-value.ts';
import type { Change } from '../records/change.ts';
import { createRecords, type Records } from '../records/records.ts';
import type { ExportRequest } from '../request/request.ts';
import { noProse } from '../rules/drafts.ts';
import { openSchema } from '../schema/open-schema.ts';
import type { Table, TableRow } from '../table.ts';
import { exportRecords, type Exported } from './formats.ts';
import fc from 'fast-check';

const layouts = ['a.csv', 'a.tsv', 'a.json', 'a.jsonl'];

/** A table in a real database with records, and its export. */
interface Stage extends AsyncDisposable {
  readonly records: Records;
  export(request: Partial<ExportRequest>): Promise<Exported & { readonly text: string }>;
  /** Exports everything and parses the file again. */
  roundTrip(
    file: string,
  ): Promise<{ readonly before: readonly TableRow[]; readonly after: readonly TableRow[] }>;
}

async function stageOf(table: Table, rows: readonly TableRow[]): Promise<Stage> {
  const files = tree();
  const database = await openSqliteDatabase(files.at('records.db'));
  const { physical } = await openSchema(database, table);
  const records: Records = createRecords(database, table, physical);
  const changes = rows.map((after): Change => ({ kind: 'add', after }));
  const written = await records.write(changes, { stepId: 'first', session: 's' });
  assert.equal(written.outcome, 'done', JSON.stringify(written));
  const exportTo = async (request: Partial<ExportRequest>): Promise<Exported & { text: string }> => {
    const scope = createTestScope({ workspace: files.path, call: mayAll });
    const context = { table, records, prose: noProse, clock };
    const done = await exportRecords({ operation: 'export', file: 'a.csv', ...request }, context, scope);
    return { ...done, text: readFileSync(files.at(done.path), 'utf8') };
  };
  return {
    records,
    export: exportTo,
    async roundTrip(file) {
      const { text } = await exportTo({ file });
      const read = await importText(table, text, { file });
      assert.deepEqual(read.faults, []);
      return { before: (await records.list({})).rows, after: read.records };
    },
    async [Symbol.asyncDispose]() {
      await database.close();
      files[Symbol.dispose]();
    },
  };
}

const hostile = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', "'", "''", "'=1", "''=1", "'x", '＝1', '-', '='],
  ...['"', '""', 'a"b', 'a,b', 'a;b', 'a\tb', 'a\r\nb', 'a\nb\n', 'a\rb', ' x ', '  ', ',', ';', '\\', '\\n'],
  ...[
    'null',
    'NULL',
    'none',
    'true',
    '0',
    '007',
    '1e5',
    '2026-02-30',
    'today',
    '[1]',
    '{}',
    '%',
    '_',
    'a_b%',
  ],
  ...[
    '€',
    'ß',
    'é',
    'e\u0301',
    '😀',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '\u200b',
    '\u202e',
    "O'Brien; DROP TABLE",
    '…',
  ],
];

const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.array(fc.constantFrom(...hostile), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);
const time = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

const valuesOf: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  string: text,
  text,
  integer: fc.maxSafeInteger(),
  bigint: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  decimal: fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: fc.boolean(),
  date: time.map((day) => day.toISOString().slice(0, 10)),
  datetime: time.map((moment) => moment.toISOString()),
  time: time.map((moment) => moment.toISOString().slice(11, 19)),
  json: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  array: fc.array(text, { maxLength: 4 }),
  email: fc.constantFrom('a@b.de', '+x@b.de', '-y@b.de', '=z@b.de'),
  url: fc.constantFrom('https://a.de/?q="1",2;3', 'http://b.de/=1'),
  uuid: fc.uuid(),
};

describe('what is exported and imported again', () => {
  const table = tableOfAllTypes();
  const row = fc.record(
    Object.fromEntries(
      Object.entries(valuesOf).map(([name, values]) => [name, fc.option(values, { nil: null, freq: 6 })]),
    ),
  );

  test('is the same, whatever the values and the layout', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 8 }), fc.constantFrom(...layouts), async (given, file) => {
        const rows = given.map((values, key) => ({ key, ...inForm(table, values) }));
        await using stage = await stageOf(table, rows);
        const { before, after } = await stage.roundTrip(file);
        assert.deepEqual(after, before);
        assert.equal(after.length, rows.length);
      }),
      { numRuns: 40 },
    );
  });

  test('is the same for JSON that is a great whole number', async () => {
    const values = [2 ** 53, -(2 ** 60), 1.5, '9007199254740993', String(2 ** 53)];
    const rows = values.map((json, key) => ({ key, ...inForm(table, { json }) }));
    await using stage = await stageOf(table, rows);
    for (const file of layouts) {
      const { before, after } = await stage.roundTrip(file);
      assert.deepEqual(after, before, file);
    }
  });

  test('is the same for every hostile text', async () => {
    const rows = hostile.flatMap((one, key) => {
      const values = inForm(table, {
        string: one,
        text: `${one}x`,
        json: { [one]: [one] },
        array: [one, ''],
      });
      return [{ key, ...values }];
    });
    await using stage = await stageOf(table, rows);
    for (const file of layouts) {
      const { before, after } = await stage.roundTrip(file);
      assert.deepEqual(after, before, file);
    }
  });

  test('is the same where one field is all there is', async () => {
    await using stage = await stageOf(tableOf({ name: {} }), [
      { name: 'a;b' },
      { name: '=1' },
      { name: ' ' },
    ]);
    for (const file of layouts) {
      const { before, after } = await stage.roundTrip(file);
      assert.deepEqual(after, before, file);
    }
  });
});

/** Returns values in the table's form, without invalid ones. */
function inForm(table: Table, values: Readonly<Record<string, Json>>): TableRow {
  const read = table.fields.map((field) => {
    const given = values[field.name] ?? null;
    const result = readValue(
      field,
      field.type === 'json' && given !== null ? JSON.stringify(given) : given,
      clock,
    );
    return [field.name, 'value' in result ? result.value : null] as const;
  });
  return Object.fromEntries(read.filter(([name]) => name !== 'key'));
}

describe('an export', () => {
  const table = tableOf({ part_id: {}, name: {}, count: { type: 'integer' } });
  const rows = [
    { part_id: 'A-1', name: 'Bolt, steel', count: 5 },
    { part_id: 'A-2', name: '=HYPERLINK("x")', count: -7 },
    { part_id: 'A-3', name: null, count: null },
  ];

  const texts: Readonly<Record<string, string>> = {
    'a.csv': 'part_id,name,count\r\nA-1,"Bolt, steel",5\r\nA-2,"\'=HYPERLINK(""x"")",-7\r\nA-3,,\r\n',
    'a.tsv': 'part_id\tname\tcount\r\nA-1\t"Bolt, steel"\t5\r\nA-2\t"\'=HYPERLINK(""x"")"\t-7\r\nA-3\t\t\r\n',
    'a.json':
      '[\n{"part_id":"A-1","name":"Bolt, steel","count":5},\n' +
      '{"part_id":"A-2","name":"=HYPERLINK(\\"x\\")","count":-7},\n{"part_id":"A-3","name":null,"count":null}\n]\n',
    'a.jsonl':
      '{"part_id":"A-1","name":"Bolt, steel","count":5}\n' +
      '{"part_id":"A-2","name":"=HYPERLINK(\\"x\\")","count":-7}\n{"part_id":"A-3","name":null,"count":null}\n',
  };
  test('is laid out as its name says', async () => {
    await using stage = await stageOf(table, rows);
    for (const [file, expected] of Object.entries(texts)) {
      const done = await stage.export({ file });
      assert.deepEqual(done, { path: file, rows: 3, bytes: Buffer.byteLength(expected), text: expected });
    }
  });

  test('holds the records, the fields and the order that are asked for', async () => {
    await using stage = await stageOf(table, rows);
    const sort = [{ field: 'part_id', direction: 'down' }] as const;
    const where = { field: 'count', is: 'not-empty' } as const;
    const { text: found } = await stage.export({ fields: ['count', 'part_id'], sort, where });
    assert.equal(found, 'count,part_id\r\n-7,A-2\r\n5,A-1\r\n');
    const none = { field: 'count', is: 'more', value: 100 } as const;
    assert.equal((await stage.export({ where: none })).text, 'part_id,name,count\r\n');
    assert.equal((await stage.export({ where: none, file: 'none.json' })).text, '[]\n');
  });

  test('that fails on the way leaves what was there', async () => {
    using files = tree({ 'a.csv': 'old' });
    const scope = createTestScope({ workspace: files.path, call: mayAll });
    await using stage = await stageOf(table, rows);
    const failing: Records = {
      ...stage.records,
      async *each() {
        yield rows;
        throw new AgentError('sandbox.store', 'The database is gone.');
      },
    };
    const context = { table, records: failing, prose: noProse, clock };
    const exporting = exportRecords({ operation: 'export', file: 'a.csv' }, context, scope);
    await assert.rejects(exporting, { code: 'sandbox.store', message: 'The database is gone.' });
    assert.deepEqual([readdirSync(files.path), readFileSync(files.at('a.csv'), 'utf8')], [['a.csv'], 'old']);
  });

  test('may go into a folder that is not there yet', async () => {
    await using stage = await stageOf(table, rows);
    assert.equal((await stage.export({ file: 'out/new/a.csv' })).path, 'out/new/a.csv');
  });
});

test('a guarded cell begins with nothing that a spreadsheet runs, and stands for its text alone', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      assert.equal(unguardCell(guardCell(one)), one);
      assert.doesNotMatch(guardCell(one), /^[=+\-@\t\r\n]/);
      if (one !== other) assert.notEqual(guardCell(one), guardCell(other));
    }),
  );
});
