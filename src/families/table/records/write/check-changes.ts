import type { Change, ChangeFault } from '../change.ts';
import { keyOf, keyText } from '../key.ts';
import type { RecordsGround } from '../records-ground.ts';
import { sameJson } from '../same-json.ts';
import { showKey } from '../show.ts';

/** What can be said against changes without looking at the database. */
export function checkChanges(ground: RecordsGround, changes: readonly Change[]): readonly ChangeFault[] {
  const faults: ChangeFault[] = [];
  const seen = new Map<string, number>();
  for (const [index, change] of changes.entries()) {
    const message = checkKind(ground, change) ?? checkKey(ground, change);
    if (message !== undefined) faults.push({ index, message });
    if (change.kind === 'add') continue;
    const key = keyOf(ground, change.before);
    const earlier = seen.get(keyText(key));
    if (earlier !== undefined)
      faults.push({
        index,
        message: `The record ${showKey(ground, key)} is changed twice, first by change ${earlier + 1}.`,
      });
    seen.set(keyText(key), earlier ?? index);
  }
  return faults;
}

function checkKind({ table, physical }: RecordsGround, { kind }: Change): string | undefined {
  if (physical.readOnlyBecause !== undefined) return physical.readOnlyBecause;
  if (kind === 'add') return physical.closedBecause;
  if (kind === 'delete' && table.deleteGuard === 'unknown')
    return `No record of ${table.name} is deleted, since its delete guard is not known.`;
  return undefined;
}

/** A made key may be missing from a new record; any other must be there, and none changes. */
function checkKey(ground: RecordsGround, change: Change): string | undefined {
  if (change.kind === 'delete') return undefined;
  const isMade = ground.key.length === 1 && ground.key[0]?.field.key === 'auto-increment';
  for (const { field } of ground.key) {
    const value = change.after[field.name] ?? null;
    if (change.kind === 'add' && value === null && !isMade)
      return `"${field.name}" is part of the key and has no value.`;
    if (change.kind === 'update' && !sameJson(value, change.before[field.name]))
      return `"${field.name}" is part of the key, which stays as it is once a record is written.`;
  }
  return undefined;
}
