/** Words for a person or a model, and the line they stand on. */
export interface Prose {
  readonly text: string;
  readonly line: number;
}

/** The types a field can be declared with, each under one name. */
export type FieldType =
  | 'string'
  | 'text'
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'json'
  | 'array'
  | 'email'
  | 'url'
  | 'uuid';

/** A regular expression that was checked to compile. */
export interface FieldPattern {
  readonly source: string;
  readonly flags: string;
}

/** How the key of a new record comes about. */
export type KeyStrategy =
  { readonly kind: 'auto-increment' | 'uuid' | 'given' } | { readonly kind: 'prose'; readonly prose: Prose };

/** One column with its declared rules; what is only described in words stays prose. */
export interface TableField {
  readonly name: string;
  readonly line: number;
  /** Empty when the field is not described. */
  readonly description: string;
  readonly type: FieldType;
  /** The type as written; absent when none is declared. */
  readonly declaredType?: string;
  readonly label?: string;
  readonly shortLabel?: string;
  readonly aliases?: readonly string[];
  readonly grouping?: string;
  /** Its column in the database, where that is called otherwise. */
  readonly column?: string;
  readonly required?: true;
  /** The condition under which a required field is required; absent when it always is. */
  readonly requiredWhen?: Prose;
  readonly primaryKey?: KeyStrategy;
  readonly unique?: true;
  readonly index?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: FieldPattern;
  /** The only values allowed, as text. */
  readonly values?: readonly string[];
  /** As text; it is converted when the type is applied. */
  readonly default?: string;
  readonly validator?: Prose;
  readonly presenter?: Prose;
  readonly namePresenter?: Prose;
  readonly resolver?: Prose;
  readonly enumerator?: Prose;
  readonly derivator?: Prose;
}

/** A column of a table; the field is absent when only the table is named. */
export interface ColumnName {
  readonly table: string;
  readonly field?: string;
}

/** A link between this table and another one. */
export interface Relationship {
  readonly line: number;
  readonly title?: string;
  readonly kind?: 'one-to-one' | 'one-to-many' | 'many-to-one' | 'many-to-many';
  /** The other table as the kind names it. */
  readonly with?: string;
  /** The field of this table. */
  readonly field?: string;
  readonly references?: ColumnName;
  readonly referencedBy?: ColumnName;
  readonly cascade?: string;
  readonly notes: readonly string[];
}

/** Who may read and write; a side without roles is open to nobody. */
export interface RolePolicy {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly notes: readonly string[];
}

/** What settings say about one table. */
export interface TableSettings {
  /** The database that it lives in, by path or address; that of all tables unless given. */
  readonly database?: string;
  /** False: changes are made without asking. */
  readonly confirm?: boolean;
  /** How long a question stays open. */
  readonly minutes?: number;
}

/** What a tskill.md declares. */
export interface TableDefinition {
  readonly table: string;
  /** The table in the database, where that is called otherwise; in PostgreSQL perhaps with its schema in front. */
  readonly databaseTable?: string;
  readonly purpose: string;
  readonly instructions?: string;
  /** In the order written; never empty. */
  readonly fields: readonly TableField[];
  readonly relationships: readonly Relationship[];
  readonly businessRules: readonly Prose[];
  /** Absent: everyone may read and write. */
  readonly roles?: RolePolicy;
  readonly deleteGuard?: 'block-if-referenced' | 'unknown';
  /** The fields that are asked for, by their declared names. */
  readonly interactiveFields?: readonly string[];
  readonly listExtraFields?: readonly string[];
  readonly help?: string;
  /** Never in the file itself. */
  readonly settings?: TableSettings;
}
