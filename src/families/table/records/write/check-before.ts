import type { RunSql } from '../../../../core/index.ts';
import type { Change, Written } from '../change.ts';
import type { RecordsGround } from '../records-ground.ts';
import type { LastWrite } from '../records.ts';
import { checkCascades } from './check-cascades.ts';
import { checkChanges } from './check-changes.ts';
import { checkTaken } from './check-taken.ts';
import { checkUnique } from './check-unique.ts';
import { findStale } from './find-stale.ts';

/** What stands against changes before anything is touched; undefined when nothing does. */
export async function checkBefore(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
  taken?: LastWrite,
): Promise<Exclude<Written, { outcome: 'done' }> | undefined> {
  const faults = [
    ...(taken === undefined ? [] : await checkTaken(run, ground, taken)),
    ...checkChanges(ground, changes),
  ];
  if (faults.length > 0) return { outcome: 'refused', faults };
  const now = await findStale(run, ground, changes);
  if (now.length > 0) return { outcome: 'stale', now };
  const clashes = [
    ...(await checkUnique(run, ground, changes)),
    ...(await checkCascades(run, ground, changes)),
  ];
  return clashes.length > 0 ? { outcome: 'refused', faults: clashes } : undefined;
}
