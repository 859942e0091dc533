import { sql } from 'kysely';
import type { RunSql } from '../../../../core/database.ts';
import { perform, type Ground } from '../ground.ts';

/** After keys were given by hand: the numbers that PostgreSQL gives out next are greater. SQLite sees to that itself. */
export async function raiseNumbers(run: RunSql, ground: Ground): Promise<void> {
  const { dialect, physical, key, from } = ground;
  const [column] = key;
  if (dialect.kind === 'sqlite' || key.length !== 1 || column?.field.key !== 'auto-increment') return;
  const table =
    physical.schema === undefined
      ? sql`quote_ident(${physical.table})`
      : sql`quote_ident(${physical.schema}) || '.' || quote_ident(${physical.table})`;
  const sequence = sql`pg_get_serial_sequence(${table}, ${physical.columnOf(column.field.name)})::regclass`;
  await perform(
    run,
    ground,
    sql`select setval(numbers.sequence, numbers.greatest)
      from (select ${sequence} as sequence, (select max(${column.name}) from ${from}) as greatest) numbers
      where numbers.greatest > coalesce(pg_sequence_last_value(numbers.sequence), 0)`,
  );
}
