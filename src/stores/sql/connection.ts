import {
  AgentError,
  pause,
  reasonOf,
  type Database,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '../../core/index.ts';

/**
 * A connection to an SQL database. It waits for locks and retries work that conflicts with other
 * transactions. Every failure is an `AgentError` that names the database.
 */
export interface SqlConnection {
  readonly kind: Database['kind'];
  /** The location to display: the file, or the server and database without user name and password. */
  readonly location: string;
  /** Runs a read-only statement. A long result does not block the event loop. */
  read(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /**
   * Runs statements as one transaction. Resolves to the rows of each statement. With SQLite, no other code of
   * this process runs until the transaction has ended.
   */
  batch(statements: readonly BoundStatement[]): Promise<readonly (readonly SqlRow[])[]>;
  /**
   * Runs a callback as one transaction. The callback must await each statement before it runs the next one.
   * It may be called again if the transaction restarts, so it must not have effects outside the database.
   */
  transact<Value>(work: (run: RunBound) => Promise<Value>, isolation?: Isolation): Promise<Value>;
  close(): Promise<void>;
}

/** A statement and its parameter values. With PostgreSQL, a value can also be an array. */
export interface BoundStatement extends Omit<SqlStatement, 'parameters'> {
  readonly parameters: readonly SqlParameter[];
  /** Whether running the statement twice has the same effect and the same result as running it once. */
  readonly mayRepeat?: boolean;
}

/** Runs a statement in a transaction. */
export type RunBound = (statement: BoundStatement) => Promise<readonly SqlRow[]>;

/** The value of a parameter of a statement. */
export type SqlParameter = SqlValue | readonly (string | number | null)[];

/**
 * The concurrent changes that a transaction sees. With `serializable`, the default, it sees none. With `read
 * committed`, each statement sees all changes committed before it, which work that first waits for a lock
 * requires. SQLite runs only one transaction at a time in either case.
 */
export type Isolation = 'serializable' | 'read committed';

/** Runs one statement in its own transaction. */
export async function execute(
  connection: SqlConnection,
  sql: string,
  ...parameters: readonly SqlValue[]
): Promise<readonly SqlRow[]> {
  return (await connection.batch([{ sql, parameters }]))[0] ?? [];
}

const longestWait = 30_000; // The default time limit for retries, in milliseconds.
const longestPause = 25; // The default maximum pause between retries, in milliseconds.

/** Options for retrying an operation and converting its last error. */
interface RetryOptions {
  mayRetry(thrown: unknown): boolean;
  translate(thrown: unknown): unknown;
  /** The time limit for retries, in milliseconds. Defaults to 30 seconds. */
  readonly patience?: number | undefined;
  /** The maximum pause between two attempts, in milliseconds. Defaults to 25. */
  readonly maxPause?: number | undefined;
}

/**
 * Retries an operation until it succeeds or its time limit has passed. The pauses between attempts grow and
 * do not block the event loop.
 */
export async function retry<Value>(
  work: () => Value | Promise<Value>,
  { mayRetry, translate, patience = longestWait, maxPause = longestPause }: RetryOptions,
): Promise<Value> {
  let end: number | undefined;
  for (let longest = 1; ; longest = Math.min(longest * 2, maxPause)) {
    try {
      const value = work();
      return value instanceof Promise ? await value : value;
    } catch (thrown) {
      const now = performance.now();
      end ??= now + patience;
      if (!mayRetry(thrown) || now >= end) throw translate(thrown);
    }
    await pause(1 + Math.random() * (longest - 1));
  }
}

/**
 * Builds a row from values in column order. An integer becomes a number if a number represents it exactly,
 * and otherwise a bigint.
 */
export type RowBuilder = (values: readonly SqlValue[]) => SqlRow;

/** Creates a function that builds rows with the given column names. */
export function createRowBuilder(names: readonly string[]): RowBuilder {
  // `Object.fromEntries` creates an own property even if a column is named `__proto__`.
  const emptyRow = Object.fromEntries(names.map((name) => [name, null]));

  return (values) => {
    const row: Record<string, SqlValue> = { ...emptyRow };
    for (let index = 0; index < names.length; index += 1) {
      const value = values[index] ?? null;
      row[names[index] ?? ''] = typeof value === 'bigint' ? toWhole(value) : value;
    }
    return row;
  };
}

function toWhole(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Converts the error of a change that the database rejected. Returns undefined for any other error. */
export type ToRefusal = (thrown: unknown, named: string) => AgentError | undefined;

/** Creates the error for a change that a working database rejected. */
export function buildRefusal(refused: 'unique' | 'other', thrown: unknown, named: string): AgentError {
  return new AgentError('usage.bad-input', `The ${named} rejected a change: ${reasonOf(thrown)}.`, {
    hint:
      refused === 'unique'
        ? 'Use another value, or change the record that already has it.'
        : 'Use values that the database accepts; the rules are defined by its tables.',
    details: { refused },
    cause: thrown,
  });
}
