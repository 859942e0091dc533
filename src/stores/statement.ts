import type { Compilable } from 'kysely';

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
