import type { Compilable, Expression, Kysely, RawBuilder } from 'kysely';

/** What the databases say in different words. */
export interface Dialect {
  /** Builds queries and never runs them. */
  readonly database: Kysely<Tables>;
  /** The time of the statement, in milliseconds since 1970. */
  readonly now: Expression<number>;
  /** The type of a text column that compares by bytes. */
  readonly text: Expression<unknown>;
  /** The strings of a JSON array as the rows of a subquery. */
  list(json: string): RawBuilder<string>;
  /** The pairs of strings of a JSON array as the rows of a subquery. */
  pairs(json: string): RawBuilder<[string, string]>;
}

/** The tables of every SQL store; times are milliseconds since 1970, strings went through `encodeText`. */
export interface Tables {
  readonly runs: RunTable;
  readonly events: EventTable;
  readonly entries: EntryTable;
  readonly migrations: MigrationTable;
}

/** One row for a run; what its events say of it is kept here too, so that listings need no events. */
export interface RunTable {
  readonly run_id: string;
  readonly epoch: string;
  readonly seq: number;
  readonly status: string;
  readonly skill: string;
  readonly session_id: string;
  readonly title: string;
  readonly prepares: string | null;
  readonly owner: string;
  readonly started_at: number;
  readonly updated_at: number;
  readonly beat_at: number;
}

/** One row for an event; `body` is JSON text without what has a column. */
export interface EventTable {
  readonly run_id: string;
  readonly seq: number;
  readonly v: number;
  readonly at: number;
  readonly frame_id: string;
  readonly type: string;
  readonly body: string;
}

/** One row for a value; space and key are addresses, and a long key stands beside its address. */
export interface EntryTable {
  readonly space: string;
  readonly key: string;
  readonly long_key: string | null;
  /** JSON text. */
  readonly value: string;
  readonly expires_at: number | null;
}

/** One row for each migration that was applied. */
interface MigrationTable {
  readonly number: number;
}

/** A query that was compiled once and is run often with other values. */
export interface Statement<Values, Row> {
  readonly sql: string;
  /** Its values in the order of the query, as a database takes them. */
  parametersOf(values: Values): readonly unknown[];
  /** For the types only: what it gives. */
  readonly row?: Row;
}

/** Stands in a query for a value that is known later. */
export type Slots<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

class Slot {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** Stands in a query for the time at which it runs, in milliseconds since 1970. */
export const nowSlot = new Slot('now');

/** Compiles a query in whose places the values come when it is run. */
export function compile<Values, Row>(
  build: (slot: Slots<Values>) => Compilable<Row>,
): Statement<Values, Row> {
  const slot: Slots<Values> = (name) => new Slot(name) as never; // the query builder passes it on unseen
  const { sql, parameters } = build(slot).compile();
  return {
    sql,
    parametersOf: (values) =>
      parameters.map((parameter) => {
        if (parameter === nowSlot) return Date.now();
        return parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter;
      }),
  };
}
