/**
 * A value that all databases accept and return. Values of other types, such as dates and JSON, are passed as
 * text.
 */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** One row, keyed by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One SQL statement. Its values are kept separate and never become part of its text. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Runs one statement, either in a transaction or as a read. */
export type RunSql = (statement: SqlStatement) => Promise<readonly SqlRow[]>;

/**
 * A database for skills' records. Machine, network and server failures are thrown as `sandbox.store`. If the
 * database rejects a change, such as a second row with the same key, throws `usage.bad-input` with
 * `details.refused` set to `unique` or `other`.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** The location to show to users: the file, or the server and database without user and password. */
  readonly location: string;
  /**
   * Runs one statement that changes nothing. Integers are returned as numbers if they fit, or else as
   * bigints. PostgreSQL returns dates, times, numerics and JSON as the text that it prints in UTC and ISO
   * style.
   */
  read(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /**
   * Runs work as one isolated transaction. Nothing is written if the work throws or one of its statements
   * fails, even if the work catches that error. A conflict can restart the work, so it must use only the
   * database, only through `run`, and wait for nothing else.
   */
  write<Value>(work: (run: RunSql) => Promise<Value>): Promise<Value>;
  /** Waits for work in progress, then closes the database. */
  close(): Promise<void>;
}
