import { AgentError, type RunSql, type SqlStatement } from '../../core/index.ts';
import type { BoundStatement, SqlParameter } from './connection.ts';

/** The SQL that differs between SQLite and PostgreSQL. */
export interface Dialect {
  /** Returns the placeholder for a value. Positions start at 1. */
  mark(position: number): string;
  /** Returns the quoted name of a table, including its schema. */
  table(name: StoreTable): string;
  /** A query that returns a row if the table of migrations exists. */
  readonly findMigrations: SqlStatement;
  /**
   * Prepares a migration. Waits until no other process is migrating and then creates the schema if necessary.
   */
  prepare(run: RunSql): Promise<void>;
  /** An SQL expression for the current time, in milliseconds since the Unix epoch. */
  readonly now: string;
  /** A clause that locks the rows that a query returns until the transaction ends. */
  readonly forUpdate: string;
  /** The column type for text that is compared byte by byte. */
  readonly text: string;
  /** Returns a subquery that produces a row for each string in a JSON array. */
  list(json: string): string;
  /** Returns a subquery that produces a row for each pair of strings in a JSON array. */
  pairs(json: string): string;
}

/**
 * A table of an SQL store. In all tables, times are in milliseconds since the Unix epoch, and strings are
 * encoded with `encodeText`.
 */
export type StoreTable = 'runs' | 'events' | 'entries' | 'migrations';

/** A statement that is compiled once and run with different values. */
export interface Statement<Values, Row> {
  bind(values: Values): BoundStatement;
  /** Never set. Exists only to carry the type of a row. */
  readonly row?: Row;
}

/**
 * Compiles a statement. When it runs, `:name` stands for the value with that name, and `:now` for the current
 * time. Set `mayRepeat` if running the statement twice has the same effect and result as running it once.
 */
export function compile<Values extends object, Row = unknown>(
  { mark }: Dialect,
  text: string,
  { mayRepeat = false }: Pick<BoundStatement, 'mayRepeat'> = {},
): Statement<Values, Row> {
  const names: string[] = [];
  const sql = text.replace(/(?<!:):(\w+)/g, (_, name: string) => mark(names.push(name)));
  return { bind: (values) => new Bound(sql, names, values, mayRepeat) };
}

class Bound implements BoundStatement {
  readonly sql: string;
  readonly mayRepeat: boolean;
  readonly #names: readonly string[];
  readonly #values: object;

  constructor(sql: string, names: readonly string[], values: object, mayRepeat: boolean) {
    this.sql = sql;
    this.mayRepeat = mayRepeat;
    this.#names = names;
    this.#values = values;
  }

  /**
   * The values in the order of their placeholders. Computed for each attempt, so that `:now` is the time of
   * the actual write.
   */
  get parameters(): readonly SqlParameter[] {
    const now = Date.now();
    return this.#names.map((name) => (name === 'now' ? now : valueOf(this.#values, name)));
  }
}

// Returns a value by its name. Throws if the value is missing, because the PostgreSQL driver would write
// null.
function valueOf(values: object, name: string): SqlParameter {
  const value = (values as Readonly<Record<string, SqlParameter | undefined>>)[name];
  if (value !== undefined) return value;
  throw new AgentError('internal.bug', `No value is bound to the parameter "${name}" of a store statement.`, {
    hint: 'Please report this bug in skilled.',
  });
}
