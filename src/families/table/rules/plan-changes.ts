import { canonicalJson, type Json, type JsonObject } from '../../../core/index.ts';
import type { Change, ChangeFault } from '../records/change.ts';
import { sameJson } from '../records/change.ts';
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
import type { RuleContext } from './rule-context.ts';

/** The planned changes and their faults. There is one change for each record, even if it has faults. */
export interface Planned {
  readonly changes: readonly Change[];
  readonly faults: readonly ChangeFault[];
}

/** Plans new records with defaults, derived values and keys, and checks them against all rules. */
export async function planAdds(context: RuleContext, records: readonly JsonObject[]): Promise<Planned> {
  const faults = createFaultList();
  const drafts = records.map((record, index) => buildDraftRow(context, record, index, faults));
  await resolveGiven(context, drafts, faults);
  fillDefaults(context, drafts, faults);
  await deriveValues(context, drafts, faults);
  await makeKeys(context, drafts, faults);
  await settle(context, drafts, faults);
  return {
    changes: drafts.map(({ row }) => ({ kind: 'add', after: withoutOwnKeys(context, row) })),
    faults: faults.all(),
  };
}

/** Plans updates, recomputes derived values and checks the rules that the changes affect. */
export async function planUpdates(
  context: RuleContext,
  rows: readonly TableRow[],
  set: JsonObject,
): Promise<Planned> {
  const faults = createFaultList();
  const drafts = rows.map((row, index) => buildDraftRow(context, set, index, faults, row));
  await resolveGiven(context, drafts, faults);
  rejectKeyChanges(context, drafts, faults);
  await deriveValues(context, drafts, faults);
  await settle(context, drafts, faults);
  return {
    changes: drafts.map(({ row }, index) => ({ kind: 'update', before: rows[index] ?? {}, after: row })),
    faults: faults.all(),
  };
}

async function settle(context: RuleContext, drafts: readonly DraftRow[], faults: FaultList): Promise<void> {
  await checkDrafts(context, drafts, faults);
  findRepeats(context, drafts, faults);
}

/** Removes keys without a value, because the database generates them. */
function withoutOwnKeys({ table }: RuleContext, row: TableRow): TableRow {
  const absent = table.key.filter(({ name, key }) => key === 'auto-increment' && row[name] === null);
  if (absent.length === 0) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !absent.some((field) => field.name === name)),
  );
}

/** Fills in defaults for fields that new records omit. An explicit null stays null. */
function fillDefaults(context: RuleContext, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of context.table.fields) {
    const { name, default: text } = field;
    if (text === undefined || field.derived !== undefined) continue;
    const read = readValue(field, text, context.clock);
    for (const { said, row, index } of drafts) {
      if (said.has(name)) continue;
      if ('value' in read) row[name] = read.value;
      else faults.add(index, read.fault, name);
    }
  }
}

/**
 * Finds keys and unique values that occur twice in a request. The database would reject the second
 * occurrence.
 */
function findRepeats({ table }: RuleContext, drafts: readonly DraftRow[], faults: FaultList): void {
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
    const message = `${named} appears twice in this request: records ${first + 1} and ${index + 1}.`;
    faults.add(index, message, fields[0]?.name);
  }
}

function valuesOf(row: TableRow, fields: readonly Field[]): readonly Json[] {
  return fields.map(({ name }) => row[name] ?? null);
}

/** Generates missing keys, as UUIDs or with a prose rule's code. Numeric keys are left to the database. */
async function makeKeys(context: RuleContext, drafts: readonly DraftRow[], faults: FaultList): Promise<void> {
  const { table, prose, makeId } = context;
  for (const field of table.key) {
    const { name, key } = field;
    const without = drafts.filter(({ row }) => row[name] === null);
    if (key === 'uuid') for (const draft of without) draft.row[name] = makeId();
    if (key !== 'prose') continue;
    const clean = without.filter(({ index }) => faults.isClean(index));
    if (clean.length === 0) continue;
    if (!prose.has('key', name)) {
      const message = `${labelOf(field)} must be provided because the prose rule that generates it has no code.`;
      for (const { index } of clean) faults.add(index, message, name);
      continue;
    }
    await applyProse(context, 'key', field, clean, faults);
  }
}

/** Rejects changes to keys. A key identifies its record and therefore never changes. */
function rejectKeyChanges({ table }: RuleContext, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of table.key) {
    const { name } = field;
    for (const { row, before, index } of drafts) {
      if (!sameJson(row[name], before?.[name]))
        faults.add(index, `${labelOf(field)} identifies the record and cannot be changed.`, name);
    }
  }
}

/** Converts values from display form to stored form, and finds values of the wrong type. */
async function resolveGiven(
  context: RuleContext,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const { table, prose } = context;
  for (const field of table.fields) {
    const { name } = field;
    const given = drafts.filter(({ said, row }) => said.has(name) && row[name] !== null);
    if (given.length === 0) continue;
    if (prose.has('resolve', name)) await applyProse(context, 'resolve', field, given, faults);
    for (const { row, index } of given) {
      const fault = typeFault(field, row[name] ?? null);
      if (fault !== undefined) faults.add(index, fault, name);
    }
  }
}
