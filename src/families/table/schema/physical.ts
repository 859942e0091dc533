/**
 * The form in which a column keeps values. `spaced-datetime` is text as SQLite itself writes times, `other` a type of the
 * database that takes and gives text: such a column is cast to text wherever it is compared or sorted.
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

/** How a column keeps the values of its field. */
export interface Storage {
  readonly form: StorageForm;
  /** The type of the column, as the database knows it; what a value is cast to. */
  readonly sqlType: string;
  /** The database works it out: it is read and never written. */
  readonly isGenerated?: true;
}

/** A table as it stands in its database. */
export interface Physical {
  readonly table: string;
  /** Of PostgreSQL; a table of SQLite has none. */
  readonly schema?: string;
  /** Set when records can be read and never written, as those of a view: a sentence that says why. */
  readonly readOnlyBecause?: string;
  /** Set when nothing can be added: a sentence that says why. */
  readonly closedBecause?: string;
  /** Columns that are of no field: what stands in them goes with a record, and nobody knows what it was. */
  readonly unseen?: readonly string[];
  /** The column of a field, by the declared name of the field. */
  columnOf(field: string): string;
  storageOf(field: string): Storage;
}

/** A change of the database that is made only after a person approved it. */
export interface Proposal {
  /** The same for the same change of the same table. */
  readonly id: string;
  readonly kind: 'type' | 'key' | 'drop' | 'unique' | 'missing' | 'wider-roles' | 'narrower-roles';
  /** One sentence for people. */
  readonly text: string;
  /** What would run; values are parameters. */
  readonly sql: readonly string[];
  readonly losesData: boolean;
  /** Why it cannot be applied as things are, a sentence; absent when approval is enough. */
  readonly obstacle?: string;
  /** The roles of which whoever approves it must have one, beside those that the file names; absent when these are enough. */
  readonly approvers?: readonly string[];
}

/** A table that is as its descriptor says, but for what was not approved. */
export interface OpenedSchema {
  readonly physical: Physical;
  /** While there is one, nothing can be done with the table. */
  readonly blocked: readonly Proposal[];
  readonly proposed: readonly Proposal[];
  /** What went out of sight while something else was added, as when a field gets another name; only the first time. */
  readonly hidden?: readonly Proposal[];
}
