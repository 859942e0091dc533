import type { JsonObject } from '../../../core/index.ts';
import type { ChangeFault, Written } from '../records/change.ts';
import type { TableRow } from '../table.ts';
import type { Ground } from '../ground.ts';
import type { ChangePlan } from './plan.ts';

/** What is kept of a write: small, whatever was written. */
export interface KeptWrite {
  readonly outcome: Written['outcome'];
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
  /** The first records, as far as there is room. */
  readonly rows: readonly TableRow[];
  /** It cannot be taken back. */
  readonly isFinal?: true;
  readonly faults: readonly ChangeFault[];
  readonly faultCount: number;
}

const many = 5_000; // changes that take long enough to say so

/**
 * Makes the changes of a plan in one transaction, once for this key. What is not as it was shown any more is not written,
 * unless this very write was made before a crash: then its result counts.
 */
export async function writePlan(
  ground: Ground,
  key: string,
  plan: ChangePlan,
  isAsShown: boolean,
): Promise<KeptWrite> {
  const { records, scope } = ground;
  const { changes, last } = plan;
  if (changes.length >= many) scope.note(`Writing ${changes.length.toLocaleString('en')} records.`);
  const kept = await scope.step(key, async (stepId) => {
    const author = { stepId, session: scope.run.session };
    if (!isAsShown) return asJson(keptOf((await records.written(stepId)) ?? { outcome: 'stale', now: [] }));
    const written = await (last === undefined ? records.write(changes, author) : records.undo(last, author));
    return asJson(keptOf(written));
  });
  return kept as unknown as KeptWrite;
}

function asJson(kept: KeptWrite): JsonObject {
  return kept as unknown as JsonObject;
}

const mostRows = 20;
const mostLetters = 1_000_000; // of the records that are kept, as JSON
const mostFaults = 20;

function keptOf(written: Written): KeptWrite {
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
        faults: written.faults.slice(0, mostFaults),
        faultCount: written.faults.length,
      };
  }
}

function rowsWithin(rows: readonly TableRow[]): readonly TableRow[] {
  let left = mostLetters;
  const kept: TableRow[] = [];
  for (const row of rows.slice(0, mostRows)) {
    left -= JSON.stringify(row).length;
    if (left < 0) break;
    kept.push(row);
  }
  return kept;
}
