import type { Json } from '../../core/index.ts';
import type { KeyStrategy, Relationship, RolePolicy, TableField } from './descriptor/definition.ts';
import type { Condition } from './request/request.ts';

/** One record, keyed by declared field name. A missing value is null. */
export type TableRow = Readonly<Record<string, Json>>;

/** Records of one table. */
export type TableRows = readonly TableRow[];

/**
 * An expression over a record's fields. `call` is the name of an operator or function. An expression has no
 * value if any of its operands has none, except in `coalesce`, `if`, a comparison with `null`, and an `and` or
 * `or` whose result is already determined by the other operand.
 */
export type Expression =
  | { readonly value: string | number | boolean | null }
  | { readonly field: string }
  | { readonly call: string; readonly of: readonly Expression[] };

/** A field, with the rules that can be evaluated without generated code. */
export interface Field extends Omit<TableField, 'primaryKey'> {
  /** The way the field gets its value in new records. Absent if the field is not part of the key. */
  readonly key?: KeyStrategy['kind'];
  /** The first number of a key that counts up. Absent if it is 1. */
  readonly keyStart?: number;
  /** The expression for a derived value. Absent if the descriptor declares none or only prose. */
  readonly derived?: Expression;
  /** The condition under which the field is required. Absent if the descriptor declares none. */
  readonly requiredIf?: Condition;
  /** The table and field that must contain the value. Without a field, the table's key is used. */
  readonly references?: { readonly table: string; readonly field?: string };
}

/** A business rule that is written as a condition. */
export interface RecordRule {
  readonly text: string;
  readonly line: number;
  readonly holds: Condition;
}

/** A table that is ready to use: its descriptor's declarations with all names resolved. */
export interface Table {
  /** The table's title. */
  readonly name: string;
  /** The default name in the database. An existing table with a different spelling keeps its name. */
  readonly sqlName: string;
  /** The exact name in the database, if the descriptor specifies one. */
  readonly databaseTable?: string;
  readonly purpose: string;
  readonly instructions?: string;
  /** Help text for users. */
  readonly help?: string;
  /** The fields, in file order. If no key is declared, a default key comes first. */
  readonly fields: readonly Field[];
  /** The fields that identify a record; never empty. */
  readonly key: readonly Field[];
  readonly relationships: readonly Relationship[];
  /** The business rules that are written as conditions. All others are prose rules. */
  readonly recordRules: readonly RecordRule[];
  readonly roles?: RolePolicy;
  readonly deleteGuard?: 'block-if-referenced' | 'unknown';
  /** The fields to ask the user for if a new record lacks them. */
  readonly interactive: readonly Field[];
  /** The fields shown in lists. */
  readonly listed: readonly Field[];
  /** Finds a field by name, label or alias, in any spelling. */
  find(name: string): Field | undefined;
}

/** A request's time and time zone. They determine "today" and the interpretation and display of times. */
export interface TableClock {
  /** The current time, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The time zone, such as `Europe/Berlin` or `UTC`. */
  readonly zone: string;
}

/** Returns the fields with these names in the order of the names. Unknown names are left out. */
export function fieldsNamed({ find }: Pick<Table, 'find'>, names: readonly string[]): readonly Field[] {
  return names.map((name) => find(name)).filter((field) => field !== undefined);
}
