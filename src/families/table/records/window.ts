import { sql } from 'kysely';
import type { Piece } from '../sql/dialect.ts';
import type { RecordsGround } from './records-ground.ts';

/** ` limit … offset …`, or nothing; SQLite knows no offset without a limit. */
export function windowOf(
  { dialect }: Pick<RecordsGround, 'dialect'>,
  limit: number | undefined,
  offset = 0,
): Piece {
  const most = limit ?? (dialect.kind === 'sqlite' && offset > 0 ? -1 : undefined);
  return sql`${most === undefined ? sql`` : sql` limit ${most}`}${offset > 0 ? sql` offset ${offset}` : sql``}`;
}
