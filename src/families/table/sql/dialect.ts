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

/** A part of a statement; its values are apart from its text, and its names are quoted. */
export type Piece = RawBuilder<unknown>;

/** How a database says what both can say. */
export interface TableDialect {
  readonly kind: Database['kind'];
  compile(piece: Piece): SqlStatement;
  /** A part without values, put into words once: what stands in every statement is not worked out for each. */
  fixed(piece: Piece): Piece;
  /** Text without regard to the case of ASCII letters, to be compared and sorted: by bytes after that. */
  folded(text: Piece): Piece;
  /** Text with its ASCII letters in lower case. */
  lowered(text: Piece): Piece;
  /** Text to be compared and sorted by bytes, whatever the column would do by itself. */
  exact(text: Piece): Piece;
  asText(value: Piece): Piece;
  /** Where a text holds another one; both are not empty. */
  holds(text: Piece, part: string): Piece;
  startsWith(text: Piece, part: string): Piece;
  endsWith(text: Piece, part: string): Piece;
}

/** The dialect of one kind of database; made once per kind. */
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

/** In characters as databases count them. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
