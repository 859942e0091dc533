import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { sequencePiece } from '../../sql/table-piece.ts';
import { perform, type RecordsGround } from '../records-ground.ts';

/** After keys were given by hand: the numbers that PostgreSQL gives out next are greater. SQLite sees to that itself. */
export async function raiseNumbers(run: RunSql, ground: RecordsGround): Promise<void> {
  const { dialect, physical, key, from } = ground;
  const [column] = key;
  if (dialect.kind === 'sqlite' || key.length !== 1 || column?.field.key !== 'auto-increment') return;
  const sequence = sql`${sequencePiece(physical, physical.columnOf(column.field.name))}::regclass`;
  await perform(
    run,
    ground,
    sql`select setval(numbers.sequence, numbers.greatest)
      from (select ${sequence} as sequence, (select max(${column.name}) from ${from}) as greatest) numbers
      where numbers.greatest > coalesce(pg_sequence_last_value(numbers.sequence), 0)`,
  );
}
