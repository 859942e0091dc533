import type { JsonObject } from '../../../core/index.ts';
import type { ChangeFault, Written } from '../records/change.ts';
import type { TableRow } from '../table.ts';
import type { TableContext } from '../table-context.ts';
import type { ChangePlan } from './plan.ts';

/** The recorded summary of a write. It is small even if the write is large. */
export interface WriteSummary {
  readonly outcome: Written['outcome'];
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
  /** The first changed records, up to the size limit. */
  readonly rows: readonly TableRow[];
  /** Set if the write cannot be undone. */
  readonly isFinal?: true;
  readonly faults: readonly ChangeFault[];
  readonly faultCount: number;
}

const many = 5_000; // Plans with at least this many changes report progress.

/**
 * Makes a plan's changes in one transaction, at most once per key. Writes nothing if the records have changed
 * since they were shown. If the changes were already made before a crash, returns the earlier result.
 */
export async function writePlan(
  context: TableContext,
  key: string,
  plan: ChangePlan,
  isAsShown: boolean,
): Promise<WriteSummary> {
  const { records, scope } = context;
  const { changes, last } = plan;
  if (changes.length >= many) scope.note(`Writing ${changes.length.toLocaleString('en')} records.`);
  const recorded = await scope.step(key, async (stepId) => {
    const author = { stepId, session: scope.run.session };
    if (!isAsShown)
      return asJson(summariseWrite((await records.written(stepId)) ?? { outcome: 'stale', now: [] }));
    const written = await (last === undefined ? records.write(changes, author) : records.undo(last, author));
    return asJson(summariseWrite(written));
  });
  return recorded as unknown as WriteSummary;
}

function asJson(summary: WriteSummary): JsonObject {
  return summary as unknown as JsonObject;
}

const maxRows = 20;
const maxCharacters = 1_000_000; // The maximum size of the records in the summary as JSON, in characters.
const maxFaults = 20;

function summariseWrite(written: Written): WriteSummary {
  const none = { added: 0, updated: 0, deleted: 0, rows: [], faults: [], faultCount: 0 };
  switch (written.outcome) {
    case 'done':
      return { ...none, ...written, rows: rowsWithin(written.rows) };
    case 'stale':
      return { ...none, outcome: 'stale' };
    case 'refused':
      return {
        ...none,
        outcome: 'refused',
        faults: written.faults.slice(0, maxFaults),
        faultCount: written.faults.length,
      };
  }
}

function rowsWithin(rows: readonly TableRow[]): readonly TableRow[] {
  let left = maxCharacters;
  const fitting: TableRow[] = [];
  for (const row of rows.slice(0, maxRows)) {
    left -= JSON.stringify(row).length;
    if (left < 0) break;
    fitting.push(row);
  }
  return fitting;
}
