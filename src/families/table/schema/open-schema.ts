import { sql } from 'kysely';
import { AgentError, optional, type Database, type SqlStatement } from '../../../core/index.ts';
import type { Storage } from '../../../engines/sql/column-types.ts';
import { isUnique, type ExistingColumn, type SqlExecutor } from '../../../engines/sql/existing-table.ts';
import { runPiece } from '../../../engines/sql/pieces.ts';
import { mergeRoles } from '../access.ts';
import type { Table } from '../table.ts';
import { proposeChanges, type Proposal } from './proposals.ts';
import { readSchemaContext, type SchemaContext } from './schema-context.ts';
import { readTableVersion, saveTableRecord, type RecordedField, type TableRecord } from './table-record.ts';
import { planSteps } from './table-statements.ts';

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

interface Known {
  readonly version: number;
  readonly opened: OpenedSchema;
}

const known = new WeakMap<Database, Map<string, Known>>();
const shapes = new WeakMap<Table, string>();

/**
 * Finds or creates a table in the database and adds missing columns and indexes. Proposes all other changes.
 * Opening the same table again takes one query if its version in `skilled_tables` is unchanged. Every change
 * by a skill increments this version. Changes by other programs are detected when a new process first opens
 * the table.
 */
export async function openSchema(database: Database, table: Table): Promise<OpenedSchema> {
  const executor = { kind: database.kind, run: database.read.bind(database) };
  const cached = known.get(database) ?? new Map<string, Known>();
  known.set(database, cached);
  const shape =
    shapes.get(table) ?? JSON.stringify([table.name, table.databaseTable, table.fields, table.roles]);
  shapes.set(table, shape);
  const before = cached.get(shape);
  if (before !== undefined && (await readTableVersion(executor, before.opened.physical)) === before.version)
    return before.opened;

  let survey = await surveyTable(executor, table);
  const isChanged = survey.steps.length > 0;
  if (survey.record !== undefined || isChanged) {
    await applySurvey(database, table);
    survey = await surveyTable(executor, table);
  }
  const { opened, version } = survey;
  const isSettled = version !== undefined && opened.blocked.length === 0;
  if (isSettled) cached.set(shape, { version, opened });
  else cached.delete(shape);
  const hidden = opened.proposed.filter(({ kind, losesData }) => kind === 'drop' && losesData);
  return isChanged && hidden.length > 0 ? { ...opened, hidden } : opened;
}

/**
 * Applies the changes that need no approval, all or nothing. If several processes try at the same time, only
 * one makes the changes.
 */
async function applySurvey(database: Database, table: Table): Promise<void> {
  await database.write(async (run) => {
    const executor = { kind: database.kind, run };
    await lockSchema(executor);
    const { steps, record } = await surveyTable(executor, table);
    for (const step of steps) await run(step);
    if (record !== undefined) await saveTableRecord(executor, record);
  });
}

const lock = 1_952_541_291; // An arbitrary number that identifies the lock: "tabl" in ASCII.

/**
 * Prevents other schema changes until the transaction ends. SQLite needs no lock, because its write
 * transactions run one at a time.
 */
export async function lockSchema(executor: SqlExecutor): Promise<void> {
  if (executor.kind === 'postgres')
    await runPiece(executor, sql`select pg_advisory_xact_lock(${lock}::int, 1)`);
}

/** The changes that a table needs to match its descriptor. */
interface Survey {
  readonly opened: OpenedSchema;
  /** The steps that need no approval, in order. Empty while a blocking change needs approval. */
  readonly steps: readonly SqlStatement[];
  /**
   * The `skilled_tables` entry to save. Absent if it is already saved, or while a blocking change needs
   * approval.
   */
  readonly record?: TableRecord;
  readonly version: number | undefined;
}

/** Compares a table with its descriptor without changing anything. */
async function surveyTable(executor: SqlExecutor, table: Table): Promise<Survey> {
  const context = await readSchemaContext(executor, table);
  const plans = await proposeChanges(context);
  const blocked = plans.filter(({ isBlocking }) => isBlocking).map(({ proposal }) => proposal);
  const proposed = plans.filter(({ isBlocking }) => !isBlocking).map(({ proposal }) => proposal);
  const record = buildRecord(context);
  const isUnchanged = JSON.stringify(record) === JSON.stringify(context.stored?.record);
  return {
    opened: { physical: buildPhysical(context), blocked, proposed },
    steps: blocked.length > 0 ? [] : planSteps(context),
    ...(isUnchanged || blocked.length > 0 ? {} : { record }),
    version: context.stored?.version,
  };
}

/**
 * Builds a table's entry for `skilled_tables`. Fields removed from the descriptor remain in the entry until
 * their columns are dropped. Pure.
 */
function buildRecord({ table, name, existing, stored, isOwn, columns }: SchemaContext): TableRecord {
  const fields = columns.map(({ field, name: column, storage: { form, sqlType } }): RecordedField => ({
    field: field.name,
    column,
    type: field.type,
    form,
    sqlType,
    ...optional('references', field.references),
  }));
  const there = new Set(existing?.columns.map((column) => column.name));
  const taken = new Set(fields.map(({ column }) => column));
  const former = (stored?.record.fields ?? []).filter(
    ({ column }) => there.has(column) && !taken.has(column),
  );
  const noRoles = { read: [], write: [] };
  return {
    ...name,
    title: stored?.record.title ?? table.name,
    isOwn,
    fields: [...fields, ...former],
    roles: stored === undefined ? mergeRoles(table.roles ?? null, noRoles) : stored.record.roles,
  };
}

/** Describes the database table that records are read from and written to. */
function buildPhysical({ name, existing, columns, key }: SchemaContext): Physical {
  const byField = new Map(columns.map((column) => [column.field.name, column]));
  const assigned = (field: string): SchemaContext['columns'][number] => {
    const column = byField.get(field);
    if (column !== undefined) return column;
    throw new AgentError('internal.bug', `"${field}" is not a field of the table "${name.table}".`);
  };
  const used = new Set(columns.map((column) => column.name));
  // The columns without a declared field, except those that the database computes.
  const unseen = (existing?.columns ?? []).filter((column) => !used.has(column.name) && !column.isGenerated);
  const keyNames = key.map((column) => column.name);
  const isKeyed = existing === undefined || existing.key.length > 0 || isUnique(existing, keyNames);
  const why = existing?.isView === true ? 'is a database view' : 'has no key in the database';
  const isReadOnly = existing?.isView === true || !isKeyed;
  const readOnlyBecause = `"${name.table}" ${why}, so its records can only be read.`;
  const needed = unseen.find(isNeeded);
  const closedBecause =
    needed &&
    `The column "${needed.name}" requires a value in each record but is not a field of the table, so no records can be added.`;
  return {
    ...name,
    ...(isReadOnly ? { readOnlyBecause } : {}),
    ...optional('closedBecause', closedBecause),
    unseen: unseen.map((column) => column.name),
    columnOf: (field) => assigned(field).name,
    storageOf: (field) => assigned(field).storage,
  };
}

function isNeeded({ isRequired, isNumbered, default: value }: ExistingColumn): boolean {
  return isRequired && !isNumbered && value === undefined;
}
