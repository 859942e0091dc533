import {
  AgentError,
  pause,
  reasonOf,
  type Database,
  type RunSql,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '../../core/index.ts';

/**
 * An open SQL database, on which stores and databases for records are built. It waits for locks, repeats what other
 * transactions interrupted, and throws every failure as an `AgentError` that names the database.
 */
export interface SqlConnection {
  readonly kind: Database['kind'];
  /** For people: the file, or server and database without user and password. */
  readonly place: string;
  /** Runs one statement that may not change anything; a long answer does not block the event loop. */
  read(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /** Runs statements as one transaction, all or nothing; resolves with the rows of each. In SQLite no other code runs meanwhile. */
  batch(statements: readonly BoundStatement[]): Promise<readonly (readonly SqlRow[])[]>;
  /**
   * Does work as one transaction, all or nothing. It may be done again from its start, so it must touch nothing but the
   * database, and it must wait for each statement before the next.
   */
  transact<Value>(work: (run: RunSql) => Promise<Value>, isolation?: Isolation): Promise<Value>;
  close(): Promise<void>;
}

/** A statement with its values; PostgreSQL takes arrays as well. */
export interface BoundStatement extends Omit<SqlStatement, 'parameters'> {
  readonly parameters: readonly SqlParameter[];
}

/** A value of a statement. */
export type SqlParameter = SqlValue | readonly (string | number | null)[];

/**
 * What a transaction sees of others: nothing, which is the default, or what they committed before each of its statements,
 * as work needs that waits for a lock first. SQLite runs one transaction after the other.
 */
export type Isolation = 'serializable' | 'read committed';

/** Runs one statement as a transaction of its own. */
export async function execute(
  connection: SqlConnection,
  sql: string,
  ...parameters: readonly SqlValue[]
): Promise<readonly SqlRow[]> {
  return (await connection.batch([{ sql, parameters }]))[0] ?? [];
}

const longestWait = 30_000; // milliseconds
const longestPause = 25; // milliseconds

/** When work is done again, and how its last failure is thrown. */
interface RetryOptions {
  mayRetry(thrown: unknown): boolean;
  translate(thrown: unknown): unknown;
  /** Milliseconds; 30 seconds by default. */
  readonly patience?: number | undefined;
}

/** Does work until it succeeds, with growing pauses in which the event loop is free. */
export async function retry<Value>(
  work: () => Value | Promise<Value>,
  { mayRetry, translate, patience = longestWait }: RetryOptions,
): Promise<Value> {
  let end: number | undefined;
  for (let longest = 1; ; longest = Math.min(longest * 2, longestPause)) {
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

/** Builds a row from its values in the order of the columns; whole numbers are numbers where that is exact, else bigints. */
export type RowBuilder = (values: readonly SqlValue[]) => SqlRow;

/** A builder for rows with these columns. */
export function createRowBuilder(names: readonly string[]): RowBuilder {
  const blank = Object.fromEntries(names.map((name) => [name, null])); // its own members, `__proto__` as well

  return (values) => {
    const row: Record<string, SqlValue> = { ...blank };
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

/** Translates a failure that is a refusal of a change; undefined for any other one. */
export type ToRefusal = (thrown: unknown, named: string) => AgentError | undefined;

/** A change that the database itself refuses, with nothing wrong with the database. */
export function buildRefusal(refused: 'unique' | 'other', thrown: unknown, named: string): AgentError {
  return new AgentError('usage.bad-input', `The ${named} refused a change: ${reasonOf(thrown)}.`, {
    hint:
      refused === 'unique'
        ? 'Give another value, or change the record that has it already.'
        : 'Give values that the database takes; its own rules are those of its tables.',
    details: { refused },
    cause: thrown,
  });
}
