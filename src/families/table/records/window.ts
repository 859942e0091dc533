import { sql } from 'kysely';
import type { Piece } from '../sql.ts';
import type { RecordsContext } from './records-context.ts';

/** Builds a ` limit … offset …` clause, or empty SQL. SQLite does not support an offset without a limit. */
export function windowOf(
  { dialect }: Pick<RecordsContext, 'dialect'>,
  limit: number | undefined,
  offset = 0,
): Piece {
  const most = limit ?? (dialect.kind === 'sqlite' && offset > 0 ? -1 : undefined);
  return sql`${most === undefined ? sql`` : sql` limit ${most}`}${offset > 0 ? sql` offset ${offset}` : sql``}`;
}
