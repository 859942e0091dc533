import { cutText, type Json } from '../../core/index.ts';
import type { Condition } from '../../engines/conditions/conditions.ts';
import type { Expression } from '../../engines/formulas/formula.ts';
import type { KeyStrategy, TableDefinition, TableField } from './descriptor/definition.ts';

/** One record, keyed by declared field name. A missing value is null. */
export type TableRow = Readonly<Record<string, Json>>;

/** Records of one table. */
export type TableRows = readonly TableRow[];

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

type Declared =
  'databaseTable' | 'purpose' | 'instructions' | 'help' | 'relationships' | 'roles' | 'deleteGuard';

/** A table that is ready to use: its descriptor's declarations with all names resolved. */
export interface Table extends Pick<TableDefinition, Declared> {
  /** The table's title. */
  readonly name: string;
  /** The default name in the database. An existing table with a different spelling keeps its name. */
  readonly sqlName: string;
  /** The fields, in file order. If no key is declared, a default key comes first. */
  readonly fields: readonly Field[];
  /** The fields that identify a record; never empty. */
  readonly key: readonly Field[];
  /** The business rules that are written as conditions. All others are prose rules. */
  readonly recordRules: readonly RecordRule[];
  /** The fields to ask the user for if a new record lacks them. */
  readonly interactive: readonly Field[];
  /** The fields shown in lists. */
  readonly listed: readonly Field[];
  /** Finds a field by name, label or alias, in any spelling. */
  find(name: string): Field | undefined;
}

/** Returns the fields with these names in the order of the names. Unknown names are left out. */
export function fieldsNamed({ find }: Pick<Table, 'find'>, names: readonly string[]): readonly Field[] {
  return names.map((name) => find(name)).filter((field) => field !== undefined);
}

/** Returns a field's display name. */
export function labelOf({ label, name }: Field): string {
  return cutText(label ?? name, longestLabel);
}

/** Returns a field's short display name, for compact layouts. */
export function shortLabelOf(field: Field): string {
  return field.shortLabel === undefined ? labelOf(field) : cutText(field.shortLabel, longestLabel);
}

const longestLabel = 60;
