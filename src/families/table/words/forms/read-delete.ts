import type { TableRequest } from '../../request/request.ts';
import type { Table } from '../../table.ts';
import { isAtEnd, type Cursor } from '../cursor.ts';
import { readTarget } from '../read-target.ts';
import { notPlain } from '../stop.ts';

/** What is asked after `delete` and its kin. */
export function readDelete(cursor: Cursor, table: Table): TableRequest {
  const target = isAtEnd(cursor) ? {} : readTarget(cursor, table, () => false);
  if (target === undefined) throw notPlain('It is not clear which records are meant.');
  return { operation: 'delete', ...target };
}
