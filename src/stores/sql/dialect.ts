import { AgentError, type RunSql, type SqlStatement } from '../../core/index.ts';
import type { BoundStatement, SqlParameter } from './connection.ts';

/** The parts of SQL statements that differ between SQLite and PostgreSQL. */
export interface Dialect {
  /** Returns the placeholder for the value at the given position in a statement, counted from 1. */
  mark(position: number): string;
  /** Returns a table's quoted name, including its schema. */
  table(name: StoreTable): string;
  /** A query that returns a row if the migrations table exists. */
  readonly findMigrations: SqlStatement;
  /** Prepares a migration: waits until no other process is migrating, then creates the schema. */
  prepare(run: RunSql): Promise<void>;
  /** The SQL expression for the statement's time, in milliseconds since 1970. */
  readonly now: string;
  /** The clause that locks the rows of a query until the transaction ends. */
  readonly forUpdate: string;
  /** The type of a text column whose values are compared bytewise. */
  readonly text: string;
  /** Returns a subquery with one row for each string in a JSON array. */
  list(json: string): string;
  /** Returns a subquery with one row for each pair of strings in a JSON array. */
  pairs(json: string): string;
}

/**
 * The tables of every SQL store. Times are milliseconds since 1970; strings are encoded with `encodeText`.
 */
export type StoreTable = 'runs' | 'events' | 'entries' | 'migrations';

/** A statement that is compiled once and run many times with different values. */
export interface Statement<Values, Row> {
  bind(values: Values): BoundStatement;
  /** Never set. Exists only to carry the type of a row. */
  readonly row?: Row;
}

/**
 * Compiles a statement. `:name` is replaced by the value with that name and `:now` by the current time. Pass
 * `mayRepeat` if running the statement twice has the same effect and result as running it once.
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

  /** The values. Computed again for each attempt, so that `:now` is the time of the actual write. */
  get parameters(): readonly SqlParameter[] {
    const now = Date.now();
    return this.#names.map((name) => (name === 'now' ? now : valueOf(this.#values, name)));
  }
}

// Throws if a value is missing, because the PostgreSQL driver would write null instead.
function valueOf(values: object, name: string): SqlParameter {
  const value = (values as Readonly<Record<string, SqlParameter | undefined>>)[name];
  if (value !== undefined) return value;
  throw new AgentError('internal.bug', `No value is bound to the parameter "${name}" of a store statement.`, {
    hint: 'Please report this bug in skilled.',
  });
}
