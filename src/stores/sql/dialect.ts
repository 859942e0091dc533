import { AgentError, type RunSql, type SqlStatement } from '../../core/index.ts';
import type { BoundStatement, SqlParameter } from './connection.ts';

/** What SQLite and PostgreSQL write differently in the statements of a store. */
export interface Dialect {
  /** Marks the value at this position of a statement, counted from 1. */
  mark(position: number): string;
  /** A table, quoted and with its schema. */
  table(name: StoreTable): string;
  /** Finds a row if the table of migrations exists. */
  readonly findMigrations: SqlStatement;
  /** The first part of a migration: waits until no other process migrates, and creates the schema. */
  prepare(run: RunSql): Promise<void>;
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

/** Compiles a statement in which `:name` stands for the value with that name, and `:now` for the current time. */
export function compile<Values extends object, Row = unknown>(
  { mark }: Dialect,
  text: string,
): Statement<Values, Row> {
  const names: string[] = [];
  const sql = text.replace(/(?<!:):(\w+)/g, (_, name: string) => mark(names.push(name)));
  return { bind: (values) => new Bound(sql, names, values) };
}

class Bound implements BoundStatement {
  readonly sql: string;
  readonly #names: readonly string[];
  readonly #values: object;

  constructor(sql: string, names: readonly string[], values: object) {
    this.sql = sql;
    this.#names = names;
    this.#values = values;
  }

  /** Read at each attempt: one that waited for a lock has the time at which it writes. */
  get parameters(): readonly SqlParameter[] {
    const now = Date.now();
    return this.#names.map((name) => (name === 'now' ? now : valueOf(this.#values, name)));
  }
}

// The driver of PostgreSQL would write a value that is missing as null.
function valueOf(values: object, name: string): SqlParameter {
  const value = (values as Readonly<Record<string, SqlParameter | undefined>>)[name];
  if (value !== undefined) return value;
  throw new AgentError('internal.bug', `A statement of the store has no value "${name}".`, {
    hint: 'Report this: it is a defect of skilled.',
  });
}
