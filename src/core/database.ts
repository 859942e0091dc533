/**
 * A value that every database accepts and returns. Other types, such as dates and JSON, are passed as text.
 */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** One row, keyed by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One SQL statement. Values are passed as parameters and never inserted into the SQL text. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A function that runs one SQL statement, either within a transaction or as a read. */
export type RunSql = (statement: SqlStatement) => Promise<readonly SqlRow[]>;

/**
 * A database for skills' records. Failures of the machine, the network or the server are thrown as
 * `sandbox.store`. A change that the database rejects, such as a second row with the same key, throws
 * `usage.bad-input` with `details.refused` set to `unique` or `other`.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** The file, or the server and database without credentials, for display. */
  readonly location: string;
  /** @deprecated Use `location`. */
  readonly place?: string;
  /**
   * Runs one read-only statement. Integers are returned as numbers if they fit, or else as bigints.
   * PostgreSQL returns dates, times, numerics and JSON as text, in UTC and ISO format.
   */
  read(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /**
   * Runs `work` in one isolated transaction. If `work` throws or one of its statements fails, nothing is
   * written, even if `work` catches the error. After a conflict, `work` may run again, so it must not have
   * other side effects or wait for anything except `run`.
   */
  write<Value>(work: (run: RunSql) => Promise<Value>): Promise<Value>;
  /** Waits for work in progress, then closes the database. */
  close(): Promise<void>;
}
