import { AgentError, type RunSql, type SqlStatement } from '../../core/index.ts';
import type { BoundStatement, SqlParameter } from './connection.ts';

/** The SQL that differs between SQLite and PostgreSQL. */
export interface Dialect {
  /** Returns the placeholder for a value. Positions start at 1. */
  mark(position: number): string;
  /** Returns the quoted name of a table, including its schema. */
  table(name: StoreTable): string;
  /** A query with a row as its result if the table of migrations exists. */
  readonly findMigrations: SqlStatement;
  /** Prepares a migration. Waits until no other process migrates, and then creates the schema. */
  prepare(run: RunSql): Promise<void>;
  /** An SQL expression for the current time, in milliseconds since the Unix epoch. */
  readonly now: string;
  /** A clause that locks the rows of a query until the transaction ends. */
  readonly forUpdate: string;
  /** The type of text columns whose values are compared byte by byte. */
  readonly text: string;
  /** Returns a subquery with a row for each string in a JSON array. */
  list(json: string): string;
  /** Returns a subquery with a row for each pair of strings in a JSON array. */
  pairs(json: string): string;
}

/**
 * The tables of an SQL store. Times are in milliseconds since the Unix epoch. Strings are encoded with
 * `encodeText`.
 */
export type StoreTable = 'runs' | 'events' | 'entries' | 'migrations';

/** A statement that is compiled once and run with different values. */
export interface Statement<Values, Row> {
  bind(values: Values): BoundStatement;
  /** Never set. Only carries the type of a row. */
  readonly row?: Row;
}

/**
 * Compiles a statement. Replaces `:name` with the value of that name, and `:now` with the current time. Set
 * `mayRepeat` if the statement can run twice with the same effect and result.
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

  /** Computed for each attempt, so that `:now` is the time of the actual write. */
  get parameters(): readonly SqlParameter[] {
    const now = Date.now();
    return this.#names.map((name) => (name === 'now' ? now : valueOf(this.#values, name)));
  }
}

// Throws if a value is missing. The PostgreSQL driver would write null instead.
function valueOf(values: object, name: string): SqlParameter {
  const value = (values as Readonly<Record<string, SqlParameter | undefined>>)[name];
  if (value !== undefined) return value;
  throw new AgentError('internal.bug', `No value is bound to the parameter "${name}" of a store statement.`, {
    hint: 'Please report this bug in skilled.',
  });
}
