import type { Database, RunSql } from '../../../../core/index.ts';

/** A column as the database has it. */
export interface ExistingColumn {
  readonly name: string;
  /** As declared in SQLite, as printed by PostgreSQL. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The expression of its default; absent when there is none. */
  readonly default?: string;
  /** The database gives each new row another value. */
  readonly isNumbered: boolean;
  /** The database works it out from the others. */
  readonly isGenerated: boolean;
  /** What people wrote about it. */
  readonly comment?: string;
  /** The only values it takes, of a type that lists them. */
  readonly values?: readonly string[];
}

/** An index over whole columns and all rows. */
export interface ExistingIndex {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isUnique: boolean;
}

/** The name of something that has rows. */
export interface TableName {
  /** Of PostgreSQL. */
  readonly schema?: string;
  readonly table: string;
}

/** A table as the database has it. */
export interface ExistingTable extends TableName {
  readonly isView: boolean;
  readonly columns: readonly ExistingColumn[];
  /** The columns of the primary key, in its order; empty when there is none. */
  readonly key: readonly string[];
  /** What PostgreSQL calls the rule of the key. */
  readonly keyName?: string;
  readonly indexes: readonly ExistingIndex[];
  /** The names of all its indexes, also of those over expressions or some of the rows. */
  readonly indexNames: readonly string[];
}

/** Where statements run: a database as it is, or one inside a transaction. */
export interface SchemaPlace {
  readonly kind: Database['kind'];
  readonly run: RunSql;
}
