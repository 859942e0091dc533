import type { Database } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import { lockSchema } from './lock-schema.ts';
import type { OpenedSchema } from './physical.ts';
import { surveyTable } from './survey.ts';
import { saveTableRecord, readTableVersion } from './table-record.ts';

interface Known {
  readonly version: number;
  readonly opened: OpenedSchema;
}

const known = new WeakMap<Database, Map<string, Known>>();

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
  const shape = shapeOf(table);
  const before = cached.get(shape);
  if (before !== undefined && (await readTableVersion(executor, before.opened.physical)) === before.version)
    return before.opened;

  let survey = await surveyTable(executor, table);
  const isChanged = survey.steps.length > 0;
  if (survey.record !== undefined || survey.steps.length > 0) {
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

const shapes = new WeakMap<Table, string>();

function shapeOf(table: Table): string {
  const shape =
    shapes.get(table) ?? JSON.stringify([table.name, table.databaseTable, table.fields, table.roles]);
  shapes.set(table, shape);
  return shape;
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
