import { canonicalJson, quote, type Json, type JsonObject } from '../../../core/index.ts';
import {
  evaluate,
  readExpression,
  type Expression,
  type FindField,
} from '../../../engines/formulas/formula.ts';
import { orderDerived } from '../../../engines/formulas/order.ts';
import type { TableField } from '../descriptor/definition.ts';
import { readValue } from '../read-value.ts';
import type { Change, ChangeFault } from '../records/change.ts';
import { labelOf, type Field, type TableRow, type TableRows } from '../table.ts';
import { checkDrafts } from './check-drafts.ts';
import { typeFault } from './check-row.ts';
import {
  applyProse,
  cleanDrafts,
  draftRows,
  isChanged,
  putValue,
  type DraftPlan,
  type DraftRow,
  type DraftRows,
  type RuleContext,
} from './drafts.ts';

/** The planned changes and their faults. There is one change for each record, even if it has faults. */
export interface Planned {
  readonly changes: readonly Change[];
  readonly faults: readonly ChangeFault[];
}

/** Plans new records with defaults, derived values and keys, and checks them against all rules. */
export async function planAdds(context: RuleContext, records: readonly JsonObject[]): Promise<Planned> {
  const plan = draftRows(
    context,
    records.map((values) => ({ values })),
  );
  await resolveGiven(plan);
  fillDefaults(plan);
  await deriveValues(plan);
  await makeKeys(plan);
  return finish(plan, ({ row }) => ({ kind: 'add', after: withoutOwnKeys(plan, row) }));
}

/** Plans updates, recomputes derived values and checks the rules that the changes affect. */
export async function planUpdates(context: RuleContext, rows: TableRows, set: JsonObject): Promise<Planned> {
  const plan = draftRows(
    context,
    rows.map((before) => ({ values: set, before })),
  );
  await resolveGiven(plan);
  rejectKeyChanges(plan);
  await deriveValues(plan);
  return finish(plan, ({ row, before = {} }) => ({ kind: 'update', before, after: row }));
}

async function finish(plan: DraftPlan, changeOf: (draft: DraftRow) => Change): Promise<Planned> {
  await checkDrafts(plan);
  findRepeats(plan);
  return { changes: plan.drafts.map(changeOf), faults: plan.faults.all() };
}

/** Removes keys without a value, because the database generates them. */
function withoutOwnKeys({ table }: RuleContext, row: TableRow): TableRow {
  const absent = table.key.filter(({ name, key }) => key === 'auto-increment' && row[name] === null);
  if (absent.length === 0) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !absent.some((field) => field.name === name)),
  );
}

/** Converts values from display form to stored form, and finds values of the wrong type. */
async function resolveGiven(plan: DraftPlan): Promise<void> {
  for (const field of plan.table.fields) {
    const { name } = field;
    const given = plan.drafts.filter(({ said, row }) => said.has(name) && row[name] !== null);
    if (given.length === 0) continue;
    if (plan.prose.has('resolve', name)) await applyProse(plan, 'resolve', field, given);
    for (const { row, index } of given) {
      const fault = typeFault(field, row[name] ?? null);
      if (fault !== undefined) plan.faults.add(index, fault, name);
    }
  }
}

/** Fills in defaults for fields that new records omit. An explicit null stays null. */
function fillDefaults({ table, clock, drafts, faults }: DraftPlan): void {
  for (const field of table.fields) {
    const { name, default: text } = field;
    if (text === undefined || field.derived !== undefined) continue;
    const read = readValue(field, text, clock);
    for (const { said, row, index } of drafts) {
      if (said.has(name)) continue;
      if ('value' in read) row[name] = read.value;
      else faults.add(index, read.fault, name);
    }
  }
}

/** Generates missing keys, as UUIDs or with a prose rule's code. Numeric keys are left to the database. */
async function makeKeys(plan: DraftPlan): Promise<void> {
  for (const field of plan.table.key) {
    const { name, key } = field;
    const isMissing = ({ row }: DraftRow): boolean => row[name] === null;
    if (key === 'uuid') for (const { row } of plan.drafts.filter(isMissing)) row[name] = plan.makeId();
    if (key !== 'prose') continue;
    const clean = cleanDrafts(plan).filter(isMissing);
    if (plan.prose.has('key', name)) await applyProse(plan, 'key', field, clean);
    else {
      const message = `${labelOf(field)} must be provided because the prose rule that generates it has no code.`;
      for (const { index } of clean) plan.faults.add(index, message, name);
    }
  }
}

/** Rejects changes to keys. A key identifies its record and therefore never changes. */
function rejectKeyChanges({ table, drafts, faults }: DraftPlan): void {
  for (const field of table.key)
    for (const draft of drafts)
      if (isChanged(draft, field.name)) {
        const message = `${labelOf(field)} identifies the record and cannot be changed.`;
        faults.add(draft.index, message, field.name);
      }
}

/**
 * Finds keys and unique values that occur twice in a request. The database would reject the second
 * occurrence.
 */
function findRepeats(plan: DraftPlan): void {
  const { table, drafts } = plan;
  const added = drafts.filter(({ before }) => before === undefined);
  findAmong(plan, added, table.key);
  for (const field of table.fields) {
    if (field.unique !== true || (table.key.length === 1 && table.key[0] === field)) continue;
    const about = drafts.filter((draft) => isChanged(draft, field.name));
    findAmong(plan, about, [field]);
  }
}

function findAmong({ faults }: DraftPlan, drafts: DraftRows, fields: readonly Field[]): void {
  const seen = new Map<string, number>();
  for (const { row, index } of drafts) {
    const values = fields.map(({ name }): Json => row[name] ?? null);
    if (values.includes(null)) continue;
    const mark = values.length === 1 && typeof values[0] === 'string' ? values[0] : canonicalJson(values);
    const first = seen.get(mark) ?? index;
    seen.set(mark, first);
    if (first === index) continue;
    const named = fields.map((field, at) => `${labelOf(field)} ${quote(values[at] ?? null)}`).join(', ');
    const message = `${named} appears twice in this request: records ${first + 1} and ${index + 1}.`;
    faults.add(index, message, fields[0]?.name);
  }
}

/**
 * Parses the expressions of derived fields. Fields with circular dependencies are excluded and returned
 * separately. Pure.
 */
export function readDerived(
  fields: readonly Pick<TableField, 'name' | 'derivator'>[],
  find: FindField,
): { readonly derived: ReadonlyMap<string, Expression>; readonly circular: readonly string[] } {
  const derived = new Map<string, Expression>();
  for (const { name, derivator } of fields) {
    const expression = derivator && readExpression(derivator.text, find, name);
    if (expression !== undefined) derived.set(name, expression);
  }
  const { circular } = orderDerived(derived);
  for (const name of circular) derived.delete(name);
  return { derived, circular };
}

/**
 * Computes all derived values: first those with expressions, then those with prose rules, then the
 * expressions that depend on prose rules.
 */
export async function deriveValues(plan: DraftPlan): Promise<void> {
  const { table, prose, drafts, faults } = plan;
  const inProse = table.fields.filter(
    ({ name, derived }) => derived === undefined && prose.has('derive', name),
  );
  // A derived value in an update would be overwritten immediately. A new record can have one, for example
  // from a file.
  for (const field of table.fields.filter((one) => one.derived !== undefined || inProse.includes(one)))
    for (const draft of drafts)
      if (draft.before !== undefined && draft.said.has(field.name) && isChanged(draft, field.name)) {
        const message = `${labelOf(field)} is computed from other fields and cannot be set.`;
        faults.add(draft.index, message, field.name);
      }
  evaluateAll(plan);
  for (const field of inProse) await applyProse(plan, 'derive', field, cleanDrafts(plan));
  if (inProse.length > 0) evaluateAll(plan);
}

/** Evaluates the expressions, each one after its dependencies. */
function evaluateAll(plan: DraftPlan): void {
  const { fields } = plan.table;
  const derived = fields.flatMap(({ name, derived }) => (derived ? [[name, derived] as const] : []));
  for (const name of orderDerived(new Map(derived)).ordered) {
    const field = fields.find((one) => one.name === name);
    if (field?.derived === undefined) continue;
    for (const draft of plan.drafts) putValue(plan, draft, field, evaluate(field.derived, draft.row));
  }
}
