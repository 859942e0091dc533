import type { Database } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import { lockSchema } from './lock-schema.ts';
import { surveyTable } from './survey.ts';
import { keepTableRecord } from './table-record.ts';

/** Makes what can be made without asking, all or nothing; of several processes one works, and the others find it done. */
export async function applySurvey(database: Database, table: Table): Promise<void> {
  await database.write(async (run) => {
    const place = { kind: database.kind, run };
    await lockSchema(place);
    const { steps, record } = await surveyTable(place, table);
    for (const step of steps) await run(step);
    if (record !== undefined) await keepTableRecord(place, record);
  });
}
