import { optional, type Json, type JsonObject } from '../../../core/index.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { isFreeText } from '../../../engines/values/types.ts';
import { readValue } from '../read-value.ts';
import { sameJson, type ChangeFault } from '../records/change.ts';
import type { Field, Table, TableRow } from '../table.ts';

/** The kinds of prose rules. `rule` applies to a whole record, all others to a single field. */
export type ProseKind =
  'validate' | 'present' | 'resolve' | 'enumerate' | 'derive' | 'require' | 'key' | 'rule';

/** A case to run a prose rule's code on. */
export interface ProseInput {
  /** The field's value. For `rule`, the previous record, or null for a new record. */
  readonly value: Json;
  readonly record: TableRow;
}

/** A table's prose rules, with access to the code generated for them. */
export interface ProseRules {
  /** One sentence for each rule that cannot be enforced because it has no code. */
  readonly notEnforced: readonly string[];
  /** Whether a rule has code. `name` is the field name or the one-based number of the rule. */
  has(kind: ProseKind, name: string): boolean;
  /**
   * Runs a rule's code in the sandbox on all inputs in one call. Returns one result per input: a message or
   * null for `validate` and `rule`, a boolean for `require`, text for `present`, a list for `enumerate`, and
   * a value otherwise. Throws `skill.failed` if the code fails; the request is then rejected.
   */
  run(kind: ProseKind, name: string, inputs: readonly ProseInput[]): Promise<readonly Json[]>;
}

/** The `ProseRules` for a table without prose rules. */
export const noProse: ProseRules = {
  notEnforced: [],
  has: () => false,
  run: (_kind, _name, inputs) => Promise.resolve(inputs.map(() => null)),
};

/** The context for checking rules. */
export interface RuleContext {
  readonly table: Table;
  readonly prose: ProseRules;
  readonly clock: LocalClock;
  /** Returns a new UUID. */
  readonly makeId: () => string;
}

/** Records that are planned together, with the faults found so far. */
export interface DraftPlan extends RuleContext {
  readonly drafts: DraftRows;
  readonly faults: FaultList;
}

/** A record that will be written and whose values are still being computed. */
export interface DraftRow {
  /** The record's zero-based index in the request. */
  readonly index: number;
  readonly row: Record<string, Json>;
  /** The fields that the request sets. */
  readonly said: ReadonlySet<string>;
  /** The current record. Absent for a new record. */
  readonly before?: TableRow;
}

/** Some or all drafts of a plan. */
export type DraftRows = readonly DraftRow[];

/**
 * Starts a plan for new records or, with `before`, for changes to records. In `values`, empty text means no
 * value, and fields without an entry stay unchanged.
 */
export function draftRows(
  context: RuleContext,
  given: readonly { readonly values: JsonObject; readonly before?: TableRow }[],
): DraftPlan {
  const { name, fields } = context.table;
  const faults = createFaultList();
  const drafts = given.map(({ values, ...known }, index): DraftRow => {
    const row = Object.fromEntries(
      fields.map((field): [string, Json] => [field.name, known.before?.[field.name] ?? null]),
    );
    for (const [field, value] of Object.entries(values)) {
      if (Object.hasOwn(row, field)) row[field] = value === '' ? null : value;
      else faults.add(index, `"${field}" is not a field of ${name}.`);
    }
    return { index, row, said: new Set(Object.keys(values)), ...known };
  });
  return { ...context, drafts, faults };
}

/** Whether a draft changes a field. A new record changes all of its fields. */
export function isChanged({ row, before }: DraftRow, field: string): boolean {
  return before === undefined || !sameJson(row[field], before[field]);
}

/** Returns the drafts without faults. */
export function cleanDrafts({ drafts, faults }: DraftPlan): DraftRows {
  return drafts.filter(({ index }) => faults.isClean(index));
}

/** Stores the result of a rule in a draft's field, converted to the field's type, or records a fault. */
export function putValue({ clock, faults }: DraftPlan, draft: DraftRow, field: Field, given: Json): void {
  const value = isFreeText(field.type) && typeof given === 'number' ? String(given) : given;
  const read = readValue(field, value, clock);
  if ('value' in read) draft.row[field.name] = read.value;
  else faults.add(draft.index, read.fault, field.name);
}

/** Computes a field's value for each draft with the code of a prose rule. */
export async function applyProse(
  plan: DraftPlan,
  kind: ProseKind,
  field: Field,
  drafts: DraftRows,
): Promise<void> {
  const results = await runProse(plan, kind, field, drafts);
  for (const [at, draft] of drafts.entries()) putValue(plan, draft, field, results[at] ?? null);
}

/** Runs the code for a field's prose rule on each draft. */
export async function runProse(
  { prose }: RuleContext,
  kind: ProseKind,
  { name }: Field,
  drafts: DraftRows,
): Promise<readonly Json[]> {
  if (drafts.length === 0) return [];
  const inputs = drafts.map(({ row }) => ({ value: row[name] ?? null, record: { ...row } }));
  return prose.run(kind, name, inputs);
}

/**
 * Collects faults. Keeps only the first fault for each field of a record, because later faults may be
 * consequences of the first.
 */
interface FaultList {
  add(index: number, message: string, field?: string): void;
  isClean(index: number): boolean;
  /** Returns all faults, grouped and sorted by record. */
  all(): readonly ChangeFault[];
}

function createFaultList(): FaultList {
  const found = new Map<number, ChangeFault[]>();
  return {
    add(index, message, field) {
      const faults = found.get(index) ?? [];
      if (field !== undefined && faults.some((fault) => fault.field === field)) return;
      faults.push({ index, ...optional('field', field), message });
      found.set(index, faults);
    },
    isClean: (index) => !found.has(index),
    all: () => [...found].sort(([one], [other]) => one - other).flatMap(([, faults]) => faults),
  };
}
