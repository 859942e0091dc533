import type { Change, ChangeFault, Written } from '../change.ts';
import type { RecordsContext } from '../records-context.ts';
import type { Author, LastWrite } from '../records.ts';
import { applyChanges } from './apply-changes.ts';
import { checkAfter } from './check-after.ts';
import { checkBefore } from './check-before.ts';
import { createHistoryTables } from './history-tables.ts';
import { findWritten, recordWrite } from './recorded-writes.ts';
import { refusedBy, refusedFault } from './refused-by.ts';

// The maximum number of attempts. A retry is needed only if another writer made a conflicting change.
const maxAttempts = 3;

/** Applies changes, or undoes an earlier write, exactly once per step id. */
export async function writeChanges(
  context: RecordsContext,
  changes: readonly Change[],
  author: Author,
  taken?: LastWrite,
): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryChanges(context, changes, author, taken);
    } catch (thrown) {
      const refused = refusedBy(thrown);
      if (refused === undefined) throw thrown;
      // Retry, because the checks of the next attempt can identify the conflicting record.
      if (refused === 'unique' && attempt < maxAttempts) continue;
      return { outcome: 'refused', faults: [refusedFault(context, changes, thrown)] };
    }
  }
}

async function tryChanges(
  context: RecordsContext,
  changes: readonly Change[],
  author: Author,
  taken: LastWrite | undefined,
): Promise<Written> {
  let faults: readonly ChangeFault[] = [];
  try {
    return await context.database.write(async (run) => {
      faults = [];
      await createHistoryTables(run, context);
      const written = await findWritten(run, context, author.stepId);
      if (written !== undefined) return written;
      const before = await checkBefore(run, context, changes, taken);
      if (before !== undefined) return before;
      const applied = await applyChanges(run, context, changes, taken !== undefined);
      faults = await checkAfter(run, context, changes);
      // Roll back the transaction.
      if (faults.length > 0) throw new Error('the changes are taken back');
      await recordWrite(run, context, author, applied, taken);
      return applied.written;
    });
  } catch (thrown) {
    if (faults.length === 0) throw thrown;
    return { outcome: 'refused', faults };
  }
}
