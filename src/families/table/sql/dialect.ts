import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type RawBuilder,
} from 'kysely';
import type { Database, SqlStatement, SqlValue } from '../../../core/index.ts';

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

const toSqlite = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

const toPostgres = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const sqlite: TableDialect = {
  kind: 'sqlite',
  compile: (piece) => compileWith(toSqlite, piece),
  fixed: (piece) => sql.raw(compileWith(toSqlite, piece).sql),
  folded: (text) => sql`${text} collate nocase`,
  lowered: (text) => sql`lower(${text})`,
  exact: (text) => sql`${text} collate binary`,
  asText: (value) => sql`cast(${value} as text)`,
  holds: (text, part) => sql`instr(${text}, ${part}) > 0`,
  startsWith: (text, part) => sql`substr(${text}, 1, ${lengthOf(part)}) = ${part}`,
  endsWith: (text, part) => sql`substr(${text}, ${-lengthOf(part)}) = ${part}`,
};

const postgres: TableDialect = {
  kind: 'postgres',
  compile: (piece) => compileWith(toPostgres, piece),
  fixed: (piece) => sql.raw(compileWith(toPostgres, piece).sql),
  folded: (text) => sql`lower(${text} collate "C")`,
  lowered: (text) => sql`lower(${text} collate "C")`,
  exact: (text) => sql`${text} collate "C"`,
  asText: (value) => sql`${value}::text`,
  holds: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  startsWith: (text, part) => sql`starts_with(${text}, ${part})`,
  endsWith: (text, part) => sql`right(${text}, ${lengthOf(part)}::int) = ${part}`,
};

function compileWith(kysely: Kysely<unknown>, piece: Piece): SqlStatement {
  const { sql: text, parameters } = piece.compile(kysely);
  return { sql: text, parameters: parameters as readonly SqlValue[] };
}

/** Returns the length of text in characters, counted as databases do. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
