import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { openLoops } from '../../../../test/stress/stress.ts';
import { clock, mayAll, tableOf } from '../../../../test/support/transfer-stage.ts';
import { tree } from '../../../../test/support/tree.ts';
import { openSqliteDatabase } from '../../../stores/sqlite/database.ts';
import { createTestScope } from '../../../testing/test-scope.ts';
import { createRecords } from '../records/records.ts';
import { noProse } from '../rules/drafts.ts';
import { openSchema } from '../schema/open-schema.ts';
import { exportRecords } from './formats.ts';
import { readImport } from './import-records.ts';

const table = tableOf({
  part_id: {},
  name: {},
  count: { type: 'integer' },
  price: { type: 'decimal' },
  bought: { type: 'date' },
  checked: { type: 'datetime' },
  in_use: { type: 'boolean' },
  notes: { type: 'text' },
});
const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 4_000, full: 100_000 });
const rowOf = (index: number) => ({
  part_id: `P-${String(index).padStart(6, '0')}`,
  name: `Drill "${index}", 18 V`,
  count: index % 100,
  price: index / 8,
  bought: '2026-11-16',
  checked: '2026-11-16T08:30:00.000Z',
  in_use: index % 2 === 0,
  notes: index % 3 === 0 ? null : '=a\r\nb',
});

test('many records go out and come in again', async () => {
  await loop.sizes(async (many) => {
    const rows = Array.from({ length: many }, (_, index) => rowOf(index));
    using files = tree();
    const database = await openSqliteDatabase(files.at('records.db'));
    const { physical } = await openSchema(database, table);
    const records = createRecords(database, table, physical);
    const changes = rows.map((after) => ({ kind: 'add', after }) as const);
    await records.write(changes, { stepId: 'first', session: 's' });
    const context = { table, records, prose: noProse, clock };
    for (const file of ['parts.csv', 'parts.json']) {
      const scope = createTestScope({ workspace: files.path, call: mayAll });
      const { rows: written } = await exportRecords({ operation: 'export', file }, context, scope);
      const read = await readImport({ operation: 'import', file }, table, scope, clock);
      assert.equal(written, rows.length);
      assert.equal(digestOf(read.records), digestOf(rows));
      assert.deepEqual(read.faults, []);
    }
    await database.close();
  });
});

function digestOf(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}
