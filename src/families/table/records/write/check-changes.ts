import type { Change, ChangeFault } from '../change.ts';
import { keyOf, keyText } from '../key.ts';
import type { RecordsContext } from '../records-context.ts';
import { sameJson } from '../same-json.ts';
import { showKey } from '../show.ts';

/** Checks changes as far as possible without reading the database. */
export function checkChanges(context: RecordsContext, changes: readonly Change[]): readonly ChangeFault[] {
  const faults: ChangeFault[] = [];
  const seen = new Map<string, number>();
  for (const [index, change] of changes.entries()) {
    const message = checkKind(context, change) ?? checkKey(context, change);
    if (message !== undefined) faults.push({ index, message });
    if (change.kind === 'add') continue;
    const key = keyOf(context, change.before);
    const earlier = seen.get(keyText(key));
    if (earlier !== undefined)
      faults.push({
        index,
        message: `Change ${earlier + 1} already changes the record ${showKey(context, key)}.`,
      });
    seen.set(keyText(key), earlier ?? index);
  }
  return faults;
}

function checkKind({ table, physical }: RecordsContext, { kind }: Change): string | undefined {
  if (physical.readOnlyBecause !== undefined) return physical.readOnlyBecause;
  if (kind === 'add') return physical.closedBecause;
  if (kind === 'delete' && table.deleteGuard === 'unknown')
    return `No record of ${table.name} can be deleted because its delete guard is unknown.`;
  return undefined;
}

/**
 * Checks a change's key. A new record must have a key unless the database generates it. A key cannot change.
 */
function checkKey(context: RecordsContext, change: Change): string | undefined {
  if (change.kind === 'delete') return undefined;
  const isGenerated = context.key.length === 1 && context.key[0]?.field.key === 'auto-increment';
  for (const { field } of context.key) {
    const value = change.after[field.name] ?? null;
    if (change.kind === 'add' && value === null && !isGenerated)
      return `"${field.name}" is part of the key but has no value.`;
    if (change.kind === 'update' && !sameJson(value, change.before[field.name]))
      return `"${field.name}" is part of the key, which cannot change after a record is written.`;
  }
  return undefined;
}
