import { canonicalJson, type Json, type JsonObject } from '../../../core/index.ts';
import type { Change, ChangeFault } from '../records/change.ts';
import { sameJson } from '../records/same-json.ts';
import { labelOf } from '../show/label-of.ts';
import type { Field, TableRow } from '../table.ts';
import { quote } from '../values/quote.ts';
import { readValue } from '../values/read-value.ts';
import { applyProse } from './apply-prose.ts';
import { checkDrafts } from './check-drafts.ts';
import { typeFault } from './check-value.ts';
import { deriveValues } from './derive-values.ts';
import { buildDraftRow, changedIn, type DraftRow } from './draft-row.ts';
import { createFaultList, type FaultList } from './fault-list.ts';
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

/** Gives new records the defaults of fields that nothing is said of; one that is said to have no value has none. */
function fillDefaults(ground: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of ground.table.fields) {
    const { name, default: text } = field;
    if (text === undefined || field.derived !== undefined) continue;
    const read = readValue(field, text, ground.clock);
    for (const { said, row, index } of drafts) {
      if (said.has(name)) continue;
      if ('value' in read) row[name] = read.value;
      else faults.add(index, read.fault, name);
    }
  }
}

/** Finds keys and unique values that stand twice in one request: the database would refuse the second. */
function findRepeats({ table }: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  const isNew = drafts.filter(({ before }) => before === undefined);
  findAmong(isNew, table.key, faults);
  for (const field of table.fields) {
    if (field.unique !== true || (table.key.length === 1 && table.key[0] === field)) continue;
    const about = drafts.filter((draft) => changedIn(draft)?.has(field.name) !== false);
    findAmong(about, [field], faults);
  }
}

function findAmong(drafts: readonly DraftRow[], fields: readonly Field[], faults: FaultList): void {
  const seen = new Map<string, number>();
  for (const { row, index } of drafts) {
    const values = valuesOf(row, fields);
    if (values.includes(null)) continue;
    const mark = values.length === 1 && typeof values[0] === 'string' ? values[0] : canonicalJson(values);
    const first = seen.get(mark);
    if (first === undefined) {
      seen.set(mark, index);
      continue;
    }
    const named = fields.map((field, at) => `${labelOf(field)} ${quote(values[at] ?? null)}`).join(', ');
    const message = `${named} stands twice in this request: records ${first + 1} and ${index + 1}.`;
    faults.add(index, message, fields[0]?.name);
  }
}

function valuesOf(row: TableRow, fields: readonly Field[]): readonly Json[] {
  return fields.map(({ name }) => row[name] ?? null);
}

/** Makes the keys that are not given, by uuid or by code; numbers are left to the database. */
async function makeKeys(ground: RuleGround, drafts: readonly DraftRow[], faults: FaultList): Promise<void> {
  const { table, prose, makeId } = ground;
  for (const field of table.key) {
    const { name, key } = field;
    const without = drafts.filter(({ row }) => row[name] === null);
    if (key === 'uuid') for (const draft of without) draft.row[name] = makeId();
    if (key !== 'prose') continue;
    const clean = without.filter(({ index }) => faults.isClean(index));
    if (clean.length === 0) continue;
    if (!prose.has('key', name)) {
      const message = `${labelOf(field)} is made by a rule in words of which there is no code, so it must be given.`;
      for (const { index } of clean) faults.add(index, message, name);
      continue;
    }
    await applyProse(ground, 'key', field, clean, faults);
  }
}

/** A record is known by its key, which therefore stays. */
function mustKeepKeys({ table }: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of table.key) {
    const { name } = field;
    for (const { row, before, index } of drafts) {
      if (!sameJson(row[name], before?.[name]))
        faults.add(index, `${labelOf(field)} identifies the record and cannot be changed.`, name);
    }
  }
}

/** Reads back what people say in the form in which values are shown to them, and finds what is of another type. */
async function resolveGiven(
  ground: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const { table, prose } = ground;
  for (const field of table.fields) {
    const { name } = field;
    const told = drafts.filter(({ said, row }) => said.has(name) && row[name] !== null);
    if (told.length === 0) continue;
    if (prose.has('resolve', name)) await applyProse(ground, 'resolve', field, told, faults);
    for (const { row, index } of told) {
      const fault = typeFault(field, row[name] ?? null);
      if (fault !== undefined) faults.add(index, fault, name);
    }
  }
}
