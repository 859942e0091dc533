import type { Change, ChangeFault, Written } from '../change.ts';
import type { RecordsGround } from '../records-ground.ts';
import type { Author, LastWrite } from '../records.ts';
import { applyChanges } from './apply-changes.ts';
import { checkAfter } from './check-after.ts';
import { checkBefore } from './check-before.ts';
import { makeKeptTables } from './kept-tables.ts';
import { findWritten, keepWrite } from './kept-writes.ts';
import { refusedBy, refusedFault } from './refused-by.ts';

const mostAttempts = 3; // each one that fails has let another writer through

/** Makes changes, or those that take back a former write, once per step id. */
export async function writeChanges(
  ground: RecordsGround,
  changes: readonly Change[],
  author: Author,
  taken?: LastWrite,
): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryChanges(ground, changes, author, taken);
    } catch (thrown) {
      const refused = refusedBy(thrown);
      if (refused === undefined) throw thrown;
      // Whoever was faster is seen when everything is looked at again, and then named.
      if (refused === 'unique' && attempt < mostAttempts) continue;
      return { outcome: 'refused', faults: [refusedFault(ground, changes, thrown)] };
    }
  }
}

async function tryChanges(
  ground: RecordsGround,
  changes: readonly Change[],
  author: Author,
  taken: LastWrite | undefined,
): Promise<Written> {
  let faults: readonly ChangeFault[] = [];
  try {
    return await ground.database.write(async (run) => {
      faults = [];
      await makeKeptTables(run, ground);
      const written = await findWritten(run, ground, author.stepId);
      if (written !== undefined) return written;
      const before = await checkBefore(run, ground, changes, taken);
      if (before !== undefined) return before;
      const applied = await applyChanges(run, ground, changes, taken !== undefined);
      faults = await checkAfter(run, ground, changes);
      if (faults.length > 0) throw new Error('the changes are taken back'); // what was applied must not stay
      await keepWrite(run, ground, author, applied, taken);
      return applied.written;
    });
  } catch (thrown) {
    if (faults.length === 0) throw thrown;
    return { outcome: 'refused', faults };
  }
}
