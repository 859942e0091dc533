import type { Database } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import { lockSchema } from './lock-schema.ts';
import type { OpenedSchema } from './physical.ts';
import { surveyTable } from './survey.ts';
import { keepTableRecord, readTableVersion } from './table-record.ts';

interface Known {
  readonly version: number;
  readonly opened: OpenedSchema;
}

const known = new WeakMap<Database, Map<string, Known>>();

/**
 * Finds a table in the database or makes it, and adds the columns and indexes that it lacks; everything else is proposed.
 * A table that was opened before costs one look at its number in `skilled_tables`, which changes with every change that a
 * skill makes to it: what others do to the table behind that is seen the next time it is opened by a new process.
 */
export async function openSchema(database: Database, table: Table): Promise<OpenedSchema> {
  const place = { kind: database.kind, run: database.read.bind(database) };
  const cached = known.get(database) ?? new Map<string, Known>();
  known.set(database, cached);
  const shape = shapeOf(table);
  const before = cached.get(shape);
  if (before !== undefined && (await readTableVersion(place, before.opened.physical)) === before.version)
    return before.opened;

  let survey = await surveyTable(place, table);
  const isChanged = survey.steps.length > 0;
  if (survey.record !== undefined || survey.steps.length > 0) {
    await applySurvey(database, table);
    survey = await surveyTable(place, table);
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

/** Makes what can be made without asking, all or nothing; of several processes one works, and the others find it done. */
async function applySurvey(database: Database, table: Table): Promise<void> {
  await database.write(async (run) => {
    const place = { kind: database.kind, run };
    await lockSchema(place);
    const { steps, record } = await surveyTable(place, table);
    for (const step of steps) await run(step);
    if (record !== undefined) await keepTableRecord(place, record);
  });
}
