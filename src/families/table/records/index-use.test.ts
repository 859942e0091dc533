import assert from 'node:assert/strict';
import { recordDatabases } from '../../../../test/support/record-databases.ts';
import { openRecordsOf, tableOf } from '../../../../test/support/records-stage.ts';
import type { Database, SqlStatement } from '../../../core/database.ts';
import type { Records } from './records.ts';

const onDatabases = await recordDatabases();

onDatabases('an index answers what it can', async (database, name) => {
  const asked: SqlStatement[] = [];
  const watched: Database = {
    ...database,
    read: (statement) => {
      asked.push(statement);
      return database.read(statement);
    },
  };
  const fields = { code: 'Type: string; Primary Key: given', serial: 'Unique', state: 'Index', free: '' };
  const { add, records, table } = await openRecordsOf(watched, tableOf(name, fields));
  await add(
    ...Array.from({ length: 3_000 }, (_, index) => ({
      code: `c${index}`,
      serial: `s${index}`,
      state: `State ${index}`,
      free: `${index}`,
    })),
  );
  await database.write((run) => run({ sql: `analyze ${table.sqlName}`, parameters: [] }));
  const requests: Readonly<Record<string, readonly [boolean, (own: Records) => Promise<unknown>]>> = {
    'a key': [true, (own) => own.list({ where: { field: 'code', is: 'equals', value: 'c5' } })],
    'some keys': [true, (own) => own.count({ field: 'code', is: 'in', value: ['c5', 'c6', 'nothing'] })],
    'the first by key': [true, (own) => own.list({ limit: 5 })],
    'a unique value': [true, (own) => own.list({ where: { field: 'serial', is: 'equals', value: 's7' } })],
    'a value in any case': [
      true,
      (own) => own.list({ where: { field: 'state', is: 'equals', value: 'STATE 7' } }),
    ],
    'a value without an index': [false, (own) => own.count({ field: 'free', is: 'equals', value: '7' })],
  };
  for (const [what, [isServed, ask]] of Object.entries(requests)) {
    asked.length = 0;
    await ask(records);
    const [{ sql, parameters }] = asked as [SqlStatement];
    const head = database.kind === 'sqlite' ? 'explain query plan' : 'explain';
    const plan = JSON.stringify(await database.read({ sql: `${head} ${sql}`, parameters }));
    const uses = /SEARCH|SCAN \S+ USING (?:COVERING )?INDEX|Index Scan|Index Only Scan|Bitmap/.test(plan);
    assert.equal(uses, isServed, `${what}: ${plan}`);
  }
});
