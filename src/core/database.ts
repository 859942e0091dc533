/** A value as databases take and give it. Text stands for everything that has no form of its own, as dates and JSON. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** One row, by the names of its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One statement with its values apart: they never become part of its text. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Runs one statement, in a transaction or as a read. */
export type RunSql = (statement: SqlStatement) => Promise<readonly SqlRow[]>;

/**
 * A database with the records of skills. What the machine, the network or the server does wrong is thrown as
 * `sandbox.store`; a change that the database itself refuses, as a second row with the same key, as `usage.bad-input`
 * with `details.refused` set to `unique` or `other`.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** For people: the file, or server and database without user and password. */
  readonly place: string;
  /**
   * Runs one statement that changes nothing. Whole numbers that fit are numbers, greater ones bigints; PostgreSQL gives
   * dates, times, numerics and JSON as the text that it would print in UTC and ISO style.
   */
  read(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /**
   * Does work as one transaction, as if it were alone: all of it happens, or nothing, when it throws or a statement in it
   * fails, even where the work catches that. It may be done again from its start when others were in its way, so it must
   * touch nothing but the database, by `run` alone, and wait for nothing else.
   */
  write<Value>(work: (run: RunSql) => Promise<Value>): Promise<Value>;
  /** Waits for what goes on, and lets go of the database. */
  close(): Promise<void>;
}
