import type { Json } from '../../core/index.ts';
import type { KeyStrategy, Relationship, RolePolicy, TableField } from './descriptor/definition.ts';
import type { Expression } from './rules/expressions/expression.ts';
import type { Condition } from './request/request.ts';

/** One record, by the declared names of its fields; null where there is no value. */
export type TableRow = Readonly<Record<string, Json>>;

/** A field, with what is native of its rules. */
export interface Field extends Omit<TableField, 'primaryKey'> {
  /** How its key comes about; absent when it is no part of the key. */
  readonly key?: KeyStrategy['kind'];
  /** How its value follows from others, where the descriptor says that in a form that can be worked out. */
  readonly derived?: Expression;
  /** When it is required, where the descriptor says that as a condition on other fields. */
  readonly requiredIf?: Condition;
  /** The column of another table that its values must stand in; without a field, the key of that table. */
  readonly references?: { readonly table: string; readonly field?: string };
}

/** A rule over a whole record that is written as a condition. */
export interface RecordRule {
  readonly text: string;
  readonly line: number;
  readonly holds: Condition;
}

/** A table, ready to be worked with: what its descriptor declares, with names resolved. */
export interface Table {
  /** As people call it. */
  readonly name: string;
  /** In the database, unless a table of the same name in another spelling is there already. */
  readonly sqlName: string;
  /** The name that the descriptor gives the table in the database, which is then called exactly so. */
  readonly databaseTable?: string;
  readonly purpose: string;
  readonly instructions?: string;
  /** A hint for people. */
  readonly help?: string;
  /** In the order written; a key of its own comes first where none is declared. */
  readonly fields: readonly Field[];
  /** The fields that identify a record; never empty. */
  readonly key: readonly Field[];
  readonly relationships: readonly Relationship[];
  /** Those that are conditions; the others are prose. */
  readonly recordRules: readonly RecordRule[];
  readonly roles?: RolePolicy;
  readonly deleteGuard?: 'block-if-referenced' | 'unknown';
  /** Fields that are asked for when a record is added without them. */
  readonly interactive: readonly Field[];
  /** Fields that lists show. */
  readonly listed: readonly Field[];
  /** A field by its name, label or alias, in any spelling. */
  find(name: string): Field | undefined;
}

/** When and where something is asked: what today is, and in which zone times of day are meant and shown. */
export interface TableClock {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** As `Europe/Berlin` or `UTC`. */
  readonly zone: string;
}
