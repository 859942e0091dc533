import type { RawBuilder } from 'kysely';
import type { Database, RunSql } from '../../core/index.ts';

/** Runs statements, either directly on a database or inside a transaction. */
export interface SqlExecutor {
  readonly kind: Database['kind'];
  readonly run: RunSql;
}

/** The name of a table or view. */
export interface TableName {
  /** The schema. PostgreSQL only. */
  readonly schema?: string;
  readonly table: string;
}

/** A column as it exists in the database. */
export interface ExistingColumn {
  readonly name: string;
  /** The column type as declared in SQLite or as printed by PostgreSQL. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The default value's expression. Absent if there is no default. */
  readonly default?: string;
  /** Whether the database assigns a new number to each row. */
  readonly isNumbered: boolean;
  /** Whether the database computes the value from other columns. */
  readonly isGenerated: boolean;
  /** The column's comment in the database. */
  readonly comment?: string;
  /** The allowed values, if the type is an enum. */
  readonly values?: readonly string[];
}

/** An index of a table. Partial indexes and indexes over expressions are not included. */
export interface ExistingIndex {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isUnique: boolean;
}

/** A table as it exists in the database. */
export interface ExistingTable extends TableName {
  readonly isView: boolean;
  readonly columns: readonly ExistingColumn[];
  /** The primary key's columns, in order. Empty if there is no primary key. */
  readonly key: readonly string[];
  /** The key constraint's name in PostgreSQL. */
  readonly keyName?: string;
  readonly indexes: readonly ExistingIndex[];
  /** The names of all indexes, including those over expressions and partial ones. */
  readonly indexNames: readonly string[];
}

/** The queries about the tables in one kind of database. */
export interface DatabaseCatalog {
  /** Lists the `schema` and `name` of each table and view that needs no schema, in search path order. */
  readonly tables: RawBuilder<unknown>;
  /** Returns a row if a table of skilled exists. */
  exists(table: string): RawBuilder<unknown>;
  /** Reads a table or view. Returns undefined if it does not exist. */
  inspect(executor: SqlExecutor, name: TableName): Promise<ExistingTable | undefined>;
  /** Lists the single-column foreign keys from and to a table. */
  links(name: TableName): RawBuilder<unknown>;
  /** Returns the `text` of the comment on a table. Absent if the database has none. */
  comment?(name: TableName): RawBuilder<unknown>;
  /** Returns each `text` that contains check constraints. */
  checks(name: TableName): RawBuilder<unknown>;
}

/** Whether the database ensures that no two records have the same values in these columns. */
export function isUnique({ key, indexes }: ExistingTable, columns: readonly string[]): boolean {
  const uniques = indexes.filter((index) => index.isUnique).map((index) => index.columns);
  return [key, ...uniques].some(
    (names) => names.length === columns.length && names.every((name) => columns.includes(name)),
  );
}
