import type { SqlRow, SqlStatement } from '../../../core/index.ts';
import type { SqlExecutor } from '../schema/inspect/existing-table.ts';
import { dialectOf, type Piece } from './dialect.ts';

/** Compiles and runs a statement. */
export function runPiece(executor: SqlExecutor, piece: Piece): Promise<readonly SqlRow[]> {
  return executor.run(compilePiece(executor, piece));
}

/** Runs a statement and returns the number in its column `total`. */
export async function readTotal(executor: SqlExecutor, piece: Piece): Promise<number> {
  const [row] = await runPiece(executor, piece);
  return Number(row?.['total'] ?? 0);
}

/** Compiles a statement for a database, with its values as parameters. */
export function compilePiece({ kind }: Pick<SqlExecutor, 'kind'>, piece: Piece): SqlStatement {
  return dialectOf(kind).compile(piece);
}
