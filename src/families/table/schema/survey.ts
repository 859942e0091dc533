import type { SqlStatement } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import { buildPhysical } from './build-physical.ts';
import type { SqlExecutor } from './inspect/existing-table.ts';
import type { OpenedSchema, Proposal } from './physical.ts';
import { planSteps } from './plan-steps.ts';
import { proposeChanges } from './propose-changes.ts';
import { mergeRoles } from './statements/role-width.ts';
import { readSchemaContext, type SchemaContext } from './schema-context.ts';
import type { RecordedField, TableRecord } from './table-record.ts';

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
export async function surveyTable(executor: SqlExecutor, table: Table): Promise<Survey> {
  const context = await readSchemaContext(executor, table);
  const plans = await proposeChanges(context);
  const proposals = (isBlocking: boolean): readonly Proposal[] =>
    plans.filter((plan) => plan.isBlocking === isBlocking).map(({ proposal }) => proposal);
  const [blocked, proposed] = [proposals(true), proposals(false)];
  const opened: OpenedSchema = { physical: buildPhysical(context), blocked, proposed };
  const record = buildRecord(context);
  const isUnchanged = JSON.stringify(record) === JSON.stringify(context.stored?.record);
  return {
    opened,
    steps: blocked.length > 0 ? [] : planSteps(context),
    ...(isUnchanged || blocked.length > 0 ? {} : { record }),
    version: context.stored?.version,
  };
}

/**
 * Builds a table's entry for `skilled_tables`. Fields removed from the descriptor remain in the entry until
 * their columns are dropped. Pure.
 */
function buildRecord({ table, name, existing, stored, columns }: SchemaContext): TableRecord {
  const fields = columns.map(({ field, name: column, storage }): RecordedField => ({
    field: field.name,
    column,
    type: field.type,
    form: storage.form,
    sqlType: storage.sqlType,
    ...(field.references === undefined ? {} : { references: field.references }),
  }));
  const there = new Set(existing?.columns.map((column) => column.name));
  const taken = new Set(fields.map(({ column }) => column));
  const former = (stored?.record.fields ?? []).filter(
    ({ column }) => there.has(column) && !taken.has(column),
  );
  return {
    ...name,
    title: stored?.record.title ?? table.name,
    isOwn: existing === undefined || stored?.record.isOwn === true,
    fields: [...fields, ...former],
    roles:
      stored === undefined ? mergeRoles(table.roles ?? null, { read: [], write: [] }) : stored.record.roles,
  };
}
