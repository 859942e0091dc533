import { sql } from 'kysely';
import { runPiece } from '../sql.ts';
import type { SqlExecutor } from './inspect/existing-table.ts';

const lock = 1_952_541_291; // An arbitrary number that identifies the lock: "tabl" in ASCII.

/**
 * Prevents other schema changes until the transaction ends. SQLite needs no lock, because its write
 * transactions run one at a time.
 */
export async function lockSchema(executor: SqlExecutor): Promise<void> {
  if (executor.kind === 'postgres')
    await runPiece(executor, sql`select pg_advisory_xact_lock(${lock}::int, 1)`);
}
