import { readFileSync, rmSync } from 'node:fs';
import { bundleOfText, nowhere } from '../../../core/bundle.ts';
import { openSqliteDatabase } from '../../../stores/database/sqlite.ts';
import { openPostgresDatabase } from '../../../stores/database/postgres.ts';
import { parse } from '../descriptor/parse.ts';
import { buildTable } from '../build-table.ts';
import { openSchema } from './open-schema.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
const text = readFileSync(new URL('../fixtures/equipment/tskill.md', import.meta.url), 'utf8');
const definition = parse(bundleOfText(text, { ...nowhere, stem: 'folder' })).definition!;
const table = buildTable(definition);
rmSync('/tmp/h4/a.db', { force: true });
await using pg = (await startPostgres())!;
for (const db of [await openSqliteDatabase('/tmp/h4/a.db'), await openPostgresDatabase(pg.url)]) {
  const opened = await openSchema(db, table);
  console.log(
    opened,
    table.fields.map((f) => [f.name, opened.physical.columnOf(f.name), opened.physical.storageOf(f.name)]),
  );
  console.log((await openSchema(db, table)) === opened);
  console.log(await db.read({ sql: 'select * from skilled_tables', parameters: [] }));
  await db.close();
}
