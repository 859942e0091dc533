import type { SqlRow, SqlStatement } from '../../../core/index.ts';
import type { SchemaPlace } from '../schema/inspect/existing-table.ts';
import { dialectOf, type Piece } from './dialect.ts';

/** Runs a statement that is in no dialect yet. */
export function runPiece(place: SchemaPlace, piece: Piece): Promise<readonly SqlRow[]> {
  return place.run(compilePiece(place, piece));
}

/** The number that a statement gives as `total`. */
export async function readTotal(place: SchemaPlace, piece: Piece): Promise<number> {
  const [row] = await runPiece(place, piece);
  return Number(row?.['total'] ?? 0);
}

/** A statement in the words of a database, with its values apart. */
export function compilePiece({ kind }: Pick<SchemaPlace, 'kind'>, piece: Piece): SqlStatement {
  return dialectOf(kind).compile(piece);
}
