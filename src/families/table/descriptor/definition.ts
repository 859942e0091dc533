import type { FieldPattern } from '../../../engines/values/patterns.ts';
import type { ValueKind } from '../../../engines/values/types.ts';

/** Text for a person or a model, with its line number. */
export interface Prose {
  readonly text: string;
  readonly line: number;
}

/** The types of fields. */
export type FieldType = ValueKind;

/** The way a new record gets its key. */
export type KeyStrategy =
  /** Numbered from `start`, or from 1. */
  | { readonly kind: 'auto-increment'; readonly start?: number }
  | { readonly kind: 'uuid' | 'given' }
  | { readonly kind: 'prose'; readonly prose: Prose };

/** A field with its declared rules. Rules in plain language remain prose. */
export interface TableField {
  readonly name: string;
  readonly line: number;
  /** The field's description. Empty if it has none. */
  readonly description: string;
  readonly type: FieldType;
  /** The type as written. Absent if none is declared. */
  readonly declaredType?: string;
  readonly label?: string;
  readonly shortLabel?: string;
  readonly aliases?: readonly string[];
  readonly grouping?: string;
  /** The database column, if its name differs from the field's. */
  readonly column?: string;
  readonly required?: true;
  /** The condition under which the field is required. Absent if the field is always required. */
  readonly requiredWhen?: Prose;
  readonly primaryKey?: KeyStrategy;
  readonly unique?: true;
  readonly index?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: FieldPattern;
  /** The only allowed values, as text. */
  readonly values?: readonly string[];
  /** The default value as text. It is converted to the field's type later. */
  readonly default?: string;
  readonly validator?: Prose;
  readonly presenter?: Prose;
  readonly namePresenter?: Prose;
  readonly resolver?: Prose;
  readonly enumerator?: Prose;
  readonly derivator?: Prose;
}

/** A reference to a table's column, or to the table itself if `field` is absent. */
export interface ColumnName {
  readonly table: string;
  readonly field?: string;
}

/** A link between this table and another. */
export interface Relationship {
  readonly line: number;
  readonly title?: string;
  readonly kind?: 'one-to-one' | 'one-to-many' | 'many-to-one' | 'many-to-many';
  /** The name of the other table, as written after the kind of relationship. */
  readonly with?: string;
  /** The field in this table. */
  readonly field?: string;
  readonly references?: ColumnName;
  readonly referencedBy?: ColumnName;
  readonly cascade?: string;
  readonly notes: readonly string[];
}

/** The roles with read and write access. If a list is empty, no one has that access. */
export interface RolePolicy {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly notes: readonly string[];
}

/** The settings for a table. */
export interface TableSettings {
  /** The path or address of the table's database. Defaults to the database shared by all tables. */
  readonly database?: string;
  /** Whether changes need confirmation. */
  readonly confirm?: boolean;
  /** The number of minutes until an unanswered question expires. */
  readonly minutes?: number;
}

/** The declarations in a `tskill.md` file. */
export interface TableDefinition {
  readonly table: string;
  /**
   * The table's exact name in the database, if the file specifies one. In PostgreSQL, the name can include
   * the schema.
   */
  readonly databaseTable?: string;
  readonly purpose: string;
  readonly instructions?: string;
  /** The fields in file order. Never empty. */
  readonly fields: readonly TableField[];
  readonly relationships: readonly Relationship[];
  readonly businessRules: readonly Prose[];
  /** The table's access policy. If absent, everyone can read and write. */
  readonly roles?: RolePolicy;
  readonly deleteGuard?: 'block-if-referenced' | 'unknown';
  /** The declared names of the fields to ask the user for. */
  readonly interactiveFields?: readonly string[];
  readonly listExtraFields?: readonly string[];
  readonly help?: string;
  /** The table's settings. They never come from the file itself. */
  readonly settings?: TableSettings;
}
