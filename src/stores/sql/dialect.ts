import { AgentError, type SqlStatement } from '../../core/index.ts';

/** What SQLite and PostgreSQL write differently in the statements of a store. */
export interface Dialect {
  /** Marks the value at this position of a statement, counted from 1. */
  mark(position: number): string;
  /** A table, quoted and with its schema. */
  table(name: StoreTable): string;
  /** The time of the statement, in milliseconds since 1970. */
  readonly now: string;
  /** The type of a text column that compares by bytes. */
  readonly text: string;
  /** The strings of a JSON array as the rows of a subquery. */
  list(json: string): string;
  /** The pairs of strings of a JSON array as the rows of a subquery. */
  pairs(json: string): string;
}

/** The tables of every SQL store; times are milliseconds since 1970, strings went through `encodeText`. */
export type StoreTable = 'runs' | 'events' | 'entries' | 'migrations';

/** A statement that is compiled once and run often, with other values each time. */
export interface Statement<Values, Row> {
  bind(values: Values): BoundStatement;
  /** For the types only: one of its rows. */
  readonly row?: Row;
}

/** A statement with its values; PostgreSQL takes arrays as well. */
export interface BoundStatement extends Omit<SqlStatement, 'parameters'> {
  readonly parameters: readonly SqlParameter[];
}

/** A value of a statement. */
export type SqlParameter = SqlStatement['parameters'][number] | readonly (string | number | null)[];

/** Compiles a statement in which `:name` stands for the value with that name, and `:now` for the current time. */
export function compile<Values extends object, Row = unknown>(
  { mark }: Dialect,
  text: string,
): Statement<Values, Row> {
  const names: string[] = [];
  const sql = text.replace(/(?<!:):(\w+)/g, (_, name: string) => mark(names.push(name)));
  return {
    bind(values) {
      const now = Date.now();
      return { sql, parameters: names.map((name) => (name === 'now' ? now : valueOf(values, name))) };
    },
  };
}

// The driver of PostgreSQL would write a value that is missing as null.
function valueOf(values: object, name: string): SqlParameter {
  const value = (values as Readonly<Record<string, SqlParameter | undefined>>)[name];
  if (value !== undefined) return value;
  throw new AgentError('internal.bug', `A statement of the store has no value "${name}".`, {
    hint: 'Report this: it is a defect of skilled.',
  });
}
