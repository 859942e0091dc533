/**
 * The form in which a column stores values. `spaced-datetime` is text in SQLite's own format for times.
 * `other` is a database type that is read and written as text; columns of this form are cast to text for
 * comparisons and sorting.
 */
export type StorageForm =
  | 'text'
  | 'integer'
  | 'real'
  | 'numeric'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'spaced-datetime'
  | 'time'
  | 'json'
  | 'uuid'
  | 'bytes'
  | 'other';

/** The storage of a field's values in a column. */
export interface Storage {
  readonly form: StorageForm;
  /** The column's database type, used to cast values. */
  readonly sqlType: string;
  /** Set if the database computes the column, which can then only be read. */
  readonly isGenerated?: true;
}

/** A table as it exists in its database. */
export interface Physical {
  readonly table: string;
  /** The schema. Set only for PostgreSQL. */
  readonly schema?: string;
  /**
   * A sentence that explains why records can be read but not written, for example because the table is a
   * view.
   */
  readonly readOnlyBecause?: string;
  /** A sentence that explains why no records can be added. */
  readonly closedBecause?: string;
  /** Columns without a field. Deleting a record deletes their values, which cannot be restored. */
  readonly unseen?: readonly string[];
  /** Returns the name of the column for the field with this declared name. */
  columnOf(field: string): string;
  storageOf(field: string): Storage;
}

/** A database change that needs approval. */
export interface Proposal {
  /** The proposal's id. The same change to the same table always has the same id. */
  readonly id: string;
  readonly kind: 'type' | 'key' | 'drop' | 'unique' | 'missing' | 'wider-roles' | 'narrower-roles';
  /** A one-sentence description for users. */
  readonly text: string;
  /** The SQL statements, with their values as parameters. */
  readonly sql: readonly string[];
  readonly losesData: boolean;
  /** A sentence that explains why the change cannot be applied now. Absent if approval is enough. */
  readonly obstacle?: string;
  /**
   * The approver needs at least one of these roles, in addition to the roles in the file. Absent if the
   * file's roles are enough.
   */
  readonly approvers?: readonly string[];
}

/** A table that matches its descriptor, except for changes that have not been approved. */
export interface OpenedSchema {
  readonly physical: Physical;
  /** Proposals that must be resolved before the table can be used. */
  readonly blocked: readonly Proposal[];
  readonly proposed: readonly Proposal[];
  /**
   * Proposals to drop the columns of removed fields when another field was added at the same time, which
   * suggests that the field was renamed. Reported only once.
   */
  readonly hidden?: readonly Proposal[];
}
