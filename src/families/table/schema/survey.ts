import type { SqlStatement } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import { buildPhysical } from './build-physical.ts';
import type { SchemaPlace } from './inspect/existing-table.ts';
import type { OpenedSchema, Proposal } from './physical.ts';
import { planSteps } from './plan-steps.ts';
import { proposeChanges } from './propose-changes.ts';
import { mergeRoles } from './statements/role-width.ts';
import { readSchemaGround, type SchemaGround } from './schema-ground.ts';
import type { RecordedField, TableRecord } from './table-record.ts';

/** What is to be done so that a table is as its descriptor says. */
interface Survey {
  readonly opened: OpenedSchema;
  /** What can be done without asking, in order; nothing while something is blocked. */
  readonly steps: readonly SqlStatement[];
  /** What is to be kept about it; absent when it is kept already. */
  readonly record?: TableRecord;
  readonly version: number | undefined;
}

/** Looks at a table; changes nothing. */
export async function surveyTable(place: SchemaPlace, table: Table): Promise<Survey> {
  const ground = await readSchemaGround(place, table);
  const plans = await proposeChanges(ground);
  const proposals = (isBlocking: boolean): readonly Proposal[] =>
    plans.filter((plan) => plan.isBlocking === isBlocking).map(({ proposal }) => proposal);
  const [blocked, proposed] = [proposals(true), proposals(false)];
  const opened: OpenedSchema = { physical: buildPhysical(ground), blocked, proposed };
  const record = buildRecord(ground);
  const isKept = JSON.stringify(record) === JSON.stringify(ground.kept?.record);
  return {
    opened,
    steps: blocked.length > 0 ? [] : planSteps(ground),
    ...(isKept || blocked.length > 0 ? {} : { record }),
    version: ground.kept?.version,
  };
}

/** What is to be kept about a table; fields that the descriptor no longer has stay known until their columns go. Pure. */
function buildRecord({ table, name, existing, kept, columns }: SchemaGround): TableRecord {
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
  const former = (kept?.record.fields ?? []).filter(({ column }) => there.has(column) && !taken.has(column));
  return {
    ...name,
    title: kept?.record.title ?? table.name,
    isOwn: existing === undefined || kept?.record.isOwn === true,
    fields: [...fields, ...former],
    roles: kept === undefined ? mergeRoles(table.roles ?? null, { read: [], write: [] }) : kept.record.roles,
  };
}
