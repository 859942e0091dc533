import assert from 'node:assert/strict';
import { recordDatabases } from '../../../../test/support/record-databases.ts';
import { openRecordsOf, tableOf } from '../../../../test/support/records-stage.ts';
import type { SqlValue } from '../../../core/database.ts';
import { foldText } from '../../../core/index.ts';
import type { Json } from '../../../core/json.ts';
import type { Comparison, Condition } from '../../../engines/conditions/conditions.ts';
import type { TableRow } from '../table.ts';

const onDatabases = await recordDatabases();

const allTypes = {
  code: 'Type: string; Primary Key: given',
  words: 'Type: text',
  whole: 'Type: integer',
  great: 'Type: bigint',
  part: 'Type: decimal',
  flag: 'Type: boolean',
  day: 'Type: date',
  moment: 'Type: datetime',
  hour: 'Type: time',
  extra: 'Type: json',
  list: 'Type: array',
  other: 'Type: uuid',
};

const hostile = [
  ...[
    "' OR 1=1 --",
    '"; drop table x; --',
    '%',
    '_',
    'a%b',
    '100%',
    '\\',
    '\\%',
    "it's",
    '``',
    '$1',
    '?',
    '{{x}}',
  ],
  ...[
    'ä',
    'Ä',
    'e\u0301',
    '日本語',
    '😀',
    '\u{10FFFF}',
    '\u202E',
    'a\nb\tc',
    ' x ',
    'null',
    'NULL',
    '0',
    'false',
  ],
];

onDatabases('values of every type come back unchanged given', async (database, name) => {
  const { add, rows } = await openRecordsOf(database, tableOf(name, allTypes));
  const empty = Object.fromEntries(Object.keys(allTypes).map((field) => [field, null]));
  const given: readonly TableRow[] = [
    { ...empty, code: '1', words: 'a', whole: 0, great: 0, part: 0, flag: false, list: [], extra: 0 },
    { ...empty, code: '2', whole: 2 ** 53 - 1, great: '9223372036854775807', part: 0.1, flag: true },
    { ...empty, code: '3', whole: -(2 ** 53 - 1), great: '-9223372036854775808', part: 5e-324, extra: false },
    {
      ...empty,
      code: '4',
      great: '9007199254740993',
      part: Number.MAX_VALUE,
      extra: { b: [1, null, 'x'], a: {} },
    },
    { ...empty, code: '5', day: '0001-01-01', moment: '0001-01-01T00:00:00.000Z', hour: '00:00:00' },
    { ...empty, code: '6', day: '9999-12-31', moment: '9999-12-31T23:59:59.999Z', hour: '23:59:59' },
    { ...empty, code: '7', other: 'a0000000-0000-4000-8000-00000000000f', list: ['a', 1, null], part: -1.5 },
    { ...empty, code: '8' },
  ];
  assert.equal((await add(...given)).outcome, 'done');
  assert.deepEqual(await rows(), given);
});

onDatabases('an empty text is no value, in what is added and in what is there', async (database, name) => {
  const table = tableOf(name, { code: 'Type: string; Primary Key: given', words: '' });
  const { add, rows, records } = await openRecordsOf(database, table);
  await add({ code: 'a', words: '' }, { code: 'b', words: 'x' });
  await run(database, `insert into ${table.sqlName} (code, words) values ('c', '')`);
  assert.deepEqual(
    (await rows()).map(({ words }) => words),
    [null, 'x', null],
  );
  const codes = async (where: Condition): Promise<Json> =>
    (await records.list({ where, sort: [{ field: 'words', direction: 'up' }] })).rows.map(
      ({ code }) => code ?? null,
    );
  assert.deepEqual(await codes({ field: 'words', is: 'empty' }), ['a', 'c']);
  assert.deepEqual(await codes({ field: 'words', is: 'less', value: 'z' }), ['b']);
  assert.deepEqual(await codes({ field: 'words', is: 'not-equals', value: 'x' }), ['a', 'c']);
  assert.deepEqual(await codes({ all: [] }), ['b', 'a', 'c']);
  assert.deepEqual((await records.group({ operation: 'group', by: 'words', measure: 'count' })).groups, [
    { value: null, result: 2 },
    { value: 'x', result: 1 },
  ]);
});

onDatabases('hostile texts are values and nothing else, also a second time', async (database, name) => {
  const { add, records } = await openRecordsOf(database, tableOf(name, { words: '', exact: 'Unique' }));
  await add(...hostile.map((text) => ({ words: text, exact: text })));
  const stored = (await records.list({})).rows.map(({ exact }) => exact as string);
  assert.deepEqual(stored, hostile);
  for (const text of stored) {
    for (const is of ['equals', 'contains', 'starts-with', 'ends-with'] as const) {
      const fitting = hostile.filter((one) => fits(is, one, text));
      assert.equal(await records.count({ field: 'exact', is, value: text }), fitting.length, `${is} ${text}`);
      const loose = hostile.filter((one) => fits(is, foldText(one), foldText(text)));
      assert.equal(await records.count({ field: 'words', is, value: text }), loose.length, `${is} ${text}`);
    }
  }
  assert.equal(await records.count({ field: 'words', is: 'in', value: hostile }), hostile.length);
});

function fits(is: Comparison, text: string, part: string): boolean {
  if (is === 'equals') return text === part;
  if (is === 'contains') return text.includes(part);
  return is === 'starts-with' ? text.startsWith(part) : text.endsWith(part);
}

onDatabases('every condition and its complement make up all records', async (database, name) => {
  const { add, records } = await openRecordsOf(
    database,
    tableOf(name, { state: '', size: 'Type: integer', on: 'Type: boolean' }),
  );
  await add(
    { state: 'ok', size: 0, on: false },
    { state: 'Faulty', size: 5, on: true },
    { state: null, size: null, on: null },
  );
  const leaves: readonly (readonly [Condition, readonly number[]])[] = [
    [{ field: 'state', is: 'equals', value: 'faulty' }, [2]],
    [{ field: 'state', is: 'not-equals', value: 'faulty' }, [1, 3]],
    [{ field: 'size', is: 'equals', value: 0 }, [1]],
    [{ field: 'size', is: 'less', value: 5 }, [1]],
    [{ field: 'size', is: 'at-least', value: 0 }, [1, 2]],
    [{ field: 'size', is: 'between', value: [0, 5] }, [1, 2]],
    [{ field: 'on', is: 'equals', value: false }, [1]],
    [{ field: 'state', is: 'in', value: ['OK', 'other'] }, [1]],
    [{ field: 'state', is: 'in', value: [] }, []],
    [{ field: 'state', is: 'not-in', value: [] }, [1, 2, 3]],
    [{ field: 'state', is: 'contains', value: 'AUL' }, [2]],
    [{ field: 'state', is: 'empty' }, [3]],
    [{ field: 'size', is: 'equals', value: null }, []],
    [{ all: [] }, [1, 2, 3]],
    [{ any: [] }, []],
    [
      {
        any: [
          { field: 'size', is: 'more', value: 1 },
          { field: 'on', is: 'empty' },
        ],
      },
      [2, 3],
    ],
    [{ all: [{ not: { field: 'size', is: 'more', value: 1 } }, { not: { field: 'on', is: 'empty' } }] }, [1]],
  ];
  for (const [where, expected] of leaves) {
    const ids = async (condition: Condition): Promise<Json> =>
      (await records.list({ where: condition })).rows.map(({ id }) => id ?? null);
    assert.deepEqual(await ids(where), expected, JSON.stringify(where));
    assert.deepEqual(
      await ids({ not: where }),
      [1, 2, 3].filter((id) => !expected.includes(id)),
      JSON.stringify(where),
    );
    assert.deepEqual(await ids({ not: { not: where } }), expected);
  }
});

onDatabases('windows end where the records do, and the total is that of all', async (database, name) => {
  const { add, records } = await openRecordsOf(database, tableOf(name, { rank: 'Type: integer' }));
  await add(...Array.from({ length: 10 }, (_, index) => ({ rank: index % 2 === 0 ? index : null })));
  const page = async (limit: number | undefined, offset?: number): Promise<Json> => {
    const window = { ...(limit === undefined ? {} : { limit }), ...(offset === undefined ? {} : { offset }) };
    const { rows, total } = await records.list({ ...window, sort: [{ field: 'rank', direction: 'down' }] });
    return [total, ...rows.map(({ rank }) => rank ?? null)];
  };
  assert.deepEqual(await page(3), [10, 8, 6, 4]);
  assert.deepEqual(await page(3, 4), [10, 0, null, null]);
  assert.deepEqual(await page(3, 9), [10, null]);
  assert.deepEqual(await page(3, 10), [10]);
  assert.deepEqual(await page(undefined, 8), [10, null, null]);
  assert.deepEqual(await page(0), [10]);
  assert.deepEqual(await page(undefined), [10, 8, 6, 4, 2, 0, null, null, null, null, null]);
});

onDatabases('lists of thousands of values, and texts of ten megabytes', async (database, name) => {
  const { add, records } = await openRecordsOf(
    database,
    tableOf(name, { code: 'Type: string; Primary Key: given', words: 'Type: text' }),
  );
  const large = 'ä'.repeat(5_000_000);
  assert.equal((await add({ code: 'large', words: large }, { code: 'small', words: 'A' })).outcome, 'done');
  assert.equal(
    (await records.list({ where: { field: 'code', is: 'equals', value: 'large' } })).rows[0]?.['words'],
    large,
  );
  assert.equal(await records.count({ field: 'words', is: 'ends-with', value: 'ä'.repeat(1000) }), 1);
  const many = Array.from({ length: 9_999 }, (_, index) => `code ${index}`);
  assert.equal(await records.count({ field: 'code', is: 'in', value: [...many, 'small'] }), 1);
  assert.equal(await records.count({ field: 'words', is: 'not-in', value: [...many, 'a'] }), 1);
});

onDatabases(
  'an average halfway between two numbers of fifteen digits is rounded up',
  async (database, name) => {
    const { add, records } = await openRecordsOf(database, tableOf(name, { great: 'Type: bigint' }));
    await add({ great: 3002399751580325 }, { great: 3002399751580325 });
    assert.equal(await records.measure({ operation: 'average', field: 'great' }), 3002399751580330);
  },
);

onDatabases('sums are exact: whole ones of any size, others to fifteen digits', async (database, name) => {
  const { add, records } = await openRecordsOf(
    database,
    tableOf(name, { great: 'Type: bigint', part: 'Type: decimal', kind: '' }),
  );
  const most = '9223372036854775807';
  await add(
    { great: most, part: 0.1, kind: 'a' },
    { great: most, part: 0.2, kind: 'A' },
    { great: -1, part: 1e15, kind: 'b' },
  );
  const sum = (field: string, where?: Condition): Promise<Json> =>
    records.measure({ operation: 'sum', field, ...(where === undefined ? {} : { where }) });
  assert.equal(await sum('great'), '18446744073709551613');
  assert.equal(await sum('part', { field: 'kind', is: 'equals', value: 'a' }), 0.3);
  assert.equal(await sum('part', { field: 'kind', is: 'equals', value: 'nothing' }), null);
  assert.deepEqual(
    await records.group({ operation: 'group', by: 'kind', measure: 'sum', field: 'great', direction: 'up' }),
    {
      groups: [
        { value: 'b', result: -1 },
        { value: 'A', result: '18446744073709551614' },
      ],
      total: 2,
    },
  );
  await add({ part: Number.MAX_VALUE }, { part: Number.MAX_VALUE });
  await assert.rejects(sum('part'), {
    code: 'usage.bad-input',
    message: /"part" .*too large/,
  });
  await assert.rejects(sum('kind'), {
    code: 'usage.bad-input',
    message: 'The sum of "kind" cannot be computed because its type is string.',
  });
  await assert.rejects(sum('nothing'), {
    code: 'usage.bad-input',
    message: new RegExp(`"nothing" is not a field of ${name}`),
  });
});

onDatabases(
  'names that a statement has itself, and a column that sorts by other rules',
  async (database, name) => {
    const fields = {
      order: 'Type: string; Primary Key: given',
      select: '',
      'skilled:total': 'Type: integer',
      value: '',
    };
    const { add, records, table } = await openRecordsOf(database, tableOf(name, fields));
    if (database.kind === 'postgres')
      await run(
        database,
        `alter table ${table.sqlName} alter "select" type text collate "und-x-icu", alter "order" type text collate "und-x-icu"`,
      );
    await add(...['b', 'B', 'a', 'Z', '_', 'ä'].map((code) => ({ order: code, select: code, value: 'v' })));
    const sorted = async (field: string): Promise<string> =>
      (await records.list({ sort: [{ field, direction: 'up' }] })).rows
        .map(({ order }) => order as string)
        .join('');
    assert.equal(await sorted('order'), 'BZ_abä');
    assert.equal(await sorted('select'), '_aBbZä');
    assert.equal(await records.count({ field: 'order', is: 'more', value: 'Z' }), 4);
    assert.equal(
      (await records.group({ operation: 'group', by: 'value', measure: 'count' })).groups[0]?.result,
      6,
    );
  },
);

type Databases = Parameters<Parameters<typeof onDatabases>[1]>[0];

async function run(database: Databases, sql: string, parameters: readonly SqlValue[] = []): Promise<void> {
  await database.write((perform) => perform({ sql, parameters }));
}
