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
 * An open SQL database, used by stores and by databases for records. It waits for locks, retries work
 * interrupted by other transactions, and throws every failure as an `AgentError` that names the database.
 */
export interface SqlConnection {
  readonly kind: Database['kind'];
  /** The location to display: the file, or the server and database without user and password. */
  readonly location: string;
  /** Runs one read-only statement. A long result does not block the event loop. */
  read(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /**
   * Runs statements as one transaction, all or nothing. Resolves with the rows of each statement. With
   * SQLite, no other code runs in the meantime.
   */
  batch(statements: readonly BoundStatement[]): Promise<readonly (readonly SqlRow[])[]>;
  /**
   * Runs a callback as one transaction, all or nothing. The callback may be restarted, so it must have no
   * effects outside the database. It must await each statement before running the next.
   */
  transact<Value>(work: (run: RunBound) => Promise<Value>, isolation?: Isolation): Promise<Value>;
  close(): Promise<void>;
}

/** A statement with its values. PostgreSQL also accepts arrays. */
export interface BoundStatement extends Omit<SqlStatement, 'parameters'> {
  readonly parameters: readonly SqlParameter[];
  /** Whether running the statement twice has the same effect and result as running it once. */
  readonly mayRepeat?: boolean;
}

/** Runs one statement in a transaction. */
export type RunBound = (statement: BoundStatement) => Promise<readonly SqlRow[]>;

/** A value passed to a statement. */
export type SqlParameter = SqlValue | readonly (string | number | null)[];

/**
 * The isolation level: whether a transaction sees no concurrent changes (the default), or those committed
 * before each of its statements. Work that first waits for a lock needs the second level. SQLite always runs
 * one transaction at a time.
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

const longestWait = 30_000; // The maximum wait in milliseconds.
const longestPause = 25; // The maximum pause in milliseconds.

/** Options for retrying work and translating its last failure. */
interface RetryOptions {
  mayRetry(thrown: unknown): boolean;
  translate(thrown: unknown): unknown;
  /** The maximum time to keep retrying, in milliseconds. Defaults to 30 seconds. */
  readonly patience?: number | undefined;
  /** The longest pause between two attempts, in milliseconds. Defaults to 25. */
  readonly maxPause?: number | undefined;
}

/** Retries an operation until it succeeds, with growing pauses that do not block the event loop. */
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

/** Builds a row from values in column order. Integers become numbers if that is exact, else bigints. */
export type RowBuilder = (values: readonly SqlValue[]) => SqlRow;

/** Creates a function that builds rows with these columns. */
export function createRowBuilder(names: readonly string[]): RowBuilder {
  // Creates an own property even for a column named `__proto__`.
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

/** Converts a rejected change to an error. Returns undefined for any other failure. */
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
