import type { JsonObject } from '../../../core/index.ts';
import type { Change, ChangeFault } from '../records/change.ts';
import type { TableRow } from '../table.ts';
import { checkDrafts } from './check-drafts.ts';
import { deriveValues } from './derive-values.ts';
import { buildDraftRow, type DraftRow } from './draft-row.ts';
import { createFaultList, type FaultList } from './fault-list.ts';
import { fillDefaults } from './fill-defaults.ts';
import { findRepeats } from './find-repeats.ts';
import { makeKeys, mustKeepKeys } from './make-keys.ts';
import { resolveGiven } from './resolve-given.ts';
import type { RuleGround } from './rule-ground.ts';

/** Changes with all their values, and what is wrong with them; there is one for each record, also where it has faults. */
export interface Planned {
  readonly changes: readonly Change[];
  readonly faults: readonly ChangeFault[];
}

/** New records with their defaults, derived values and keys, held against all rules. */
export async function planAdds(ground: RuleGround, records: readonly JsonObject[]): Promise<Planned> {
  const faults = createFaultList();
  const drafts = records.map((record, index) => buildDraftRow(ground, record, index, faults));
  await resolveGiven(ground, drafts, faults);
  fillDefaults(ground, drafts, faults);
  await deriveValues(ground, drafts, faults);
  await makeKeys(ground, drafts, faults);
  await settle(ground, drafts, faults);
  return {
    changes: drafts.map(({ row }) => ({ kind: 'add', after: withoutOwnKeys(ground, row) })),
    faults: faults.all(),
  };
}

/** Records with other values, held against the rules that the change involves; derived values are worked out anew. */
export async function planUpdates(
  ground: RuleGround,
  rows: readonly TableRow[],
  set: JsonObject,
): Promise<Planned> {
  const faults = createFaultList();
  const drafts = rows.map((row, index) => buildDraftRow(ground, set, index, faults, row));
  await resolveGiven(ground, drafts, faults);
  mustKeepKeys(ground, drafts, faults);
  await deriveValues(ground, drafts, faults);
  await settle(ground, drafts, faults);
  return {
    changes: drafts.map(({ row }, index) => ({ kind: 'update', before: rows[index] ?? {}, after: row })),
    faults: faults.all(),
  };
}

async function settle(ground: RuleGround, drafts: readonly DraftRow[], faults: FaultList): Promise<void> {
  await checkDrafts(ground, drafts, faults);
  findRepeats(ground, drafts, faults);
}

/** The database numbers the records whose number is not given. */
function withoutOwnKeys({ table }: RuleGround, row: TableRow): TableRow {
  const absent = table.key.filter(({ name, key }) => key === 'auto-increment' && row[name] === null);
  if (absent.length === 0) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !absent.some((field) => field.name === name)),
  );
}
