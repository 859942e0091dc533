import { PostgresQueryCompiler, SqliteQueryCompiler, sql, type RawBuilder } from 'kysely';
import type { Database, SqlRow, SqlStatement, SqlValue } from '../../core/index.ts';
import type { SqlExecutor, TableName } from './existing-table.ts';

/** Part of a statement. Names are quoted, and values are kept separate from the SQL text. */
export type Piece = RawBuilder<unknown>;

/** The SQL of one kind of database for the operations that both kinds support. */
export interface TableDialect {
  readonly kind: Database['kind'];
  compile(piece: Piece): SqlStatement;
  /** Compiles a piece without values once, so that all statements can reuse it. */
  fixed(piece: Piece): Piece;
  /**
   * Returns text in the form used for comparing and sorting: case-insensitive for ASCII letters, otherwise by
   * bytes.
   */
  folded(text: Piece): Piece;
  /** Converts the ASCII letters in text to lower case. */
  lowered(text: Piece): Piece;
  /**
   * Returns text in the form used for comparing and sorting by bytes, regardless of the column's collation.
   */
  exact(text: Piece): Piece;
  asText(value: Piece): Piece;
  /** Tests whether text contains `part`. Both must be non-empty. */
  holds(text: Piece, part: string): Piece;
  startsWith(text: Piece, part: string): Piece;
  endsWith(text: Piece, part: string): Piece;
}

/** Returns the dialect for a kind of database. Each dialect is created only once. */
export function dialectOf(kind: Database['kind']): TableDialect {
  return kind === 'sqlite' ? sqlite : postgres;
}

const sqlite = createDialect('sqlite', new SqliteQueryCompiler(), {
  folded: (text) => sql`${text} collate nocase`,
  lowered: (text) => sql`lower(${text})`,
  exact: (text) => sql`${text} collate binary`,
  asText: (value) => sql`cast(${value} as text)`,
  holds: (text, part) => sql`instr(${text}, ${part}) > 0`,
  startsWith: (text, part) => sql`substr(${text}, 1, ${lengthOf(part)}) = ${part}`,
  endsWith: (text, part) => sql`substr(${text}, ${-lengthOf(part)}) = ${part}`,
});

const postgres = createDialect('postgres', new PostgresQueryCompiler(), {
  folded: (text) => sql`lower(${text} collate "C")`,
  lowered: (text) => sql`lower(${text} collate "C")`,
  exact: (text) => sql`${text} collate "C"`,
  asText: (value) => sql`${value}::text`,
  holds: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  startsWith: (text, part) => sql`starts_with(${text}, ${part})`,
  endsWith: (text, part) => sql`right(${text}, ${lengthOf(part)}::int) = ${part}`,
});

function createDialect(
  kind: Database['kind'],
  compiler: PostgresQueryCompiler | SqliteQueryCompiler,
  forms: Omit<TableDialect, 'kind' | 'compile' | 'fixed'>,
): TableDialect {
  const compile = (piece: Piece): SqlStatement => {
    const { sql: text, parameters } = compiler.compileQuery(piece.toOperationNode(), { queryId: kind });
    return { sql: text, parameters: parameters as readonly SqlValue[] };
  };
  return { kind, compile, fixed: (piece) => sql.raw(compile(piece).sql), ...forms };
}

/** Returns the length of text in characters, counted as databases do. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

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

/** Returns a table's name for use in a statement, qualified with its schema. */
export function tablePiece({ schema, table }: TableName): Piece {
  return schema === undefined ? sql.id(table) : sql.id(schema, table);
}

/** Returns the sequence that PostgreSQL uses to number a column. */
export function sequencePiece({ schema, table }: TableName, column: string): Piece {
  const parts = schema === undefined ? [table] : [schema, table];
  const name = parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
  return sql`pg_get_serial_sequence(${name}, ${column})`;
}

/** Returns a table's name, qualified with its schema if it has one. */
export function fullName({ schema, table }: TableName): string {
  return schema === undefined ? table : `${schema}.${table}`;
}

/** Splits items into chunks of at most `size`, in order. */
export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
