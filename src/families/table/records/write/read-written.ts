import type { RunSql } from '../../../../core/index.ts';
import type { Written } from '../change.ts';
import type { RecordsGround } from '../records-ground.ts';
import { hasKeptTables } from './kept-tables.ts';
import { findWritten } from './kept-writes.ts';

/** What came of the change that was made under a step id, if there was one. */
export async function readWritten(ground: RecordsGround, stepId: string): Promise<Written | undefined> {
  const read: RunSql = (statement) => ground.database.read(statement);
  if (!(await hasKeptTables(read, ground))) return undefined;
  return findWritten(read, ground, stepId);
}
