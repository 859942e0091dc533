import type { Json, JsonObject } from '../../../core/index.ts';
import { sameJson } from '../records/change.ts';
import type { TableRow } from '../table.ts';
import type { FaultList } from './fault-list.ts';
import type { RuleContext } from './rule-context.ts';

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

/**
 * Builds a draft from values, keyed by field name. Empty text means no value, and fields without an entry
 * stay unchanged.
 */
export function buildDraftRow(
  { table }: RuleContext,
  given: JsonObject,
  index: number,
  faults: FaultList,
  before?: TableRow,
): DraftRow {
  const said = new Set<string>();
  const values = new Map<string, Json>(table.fields.map(({ name }) => [name, before?.[name] ?? null]));
  for (const [name, value] of Object.entries(given)) {
    if (!values.has(name)) faults.add(index, `"${name}" is not a field of ${table.name}.`);
    else {
      said.add(name);
      values.set(name, value === '' ? null : value);
    }
  }
  return { index, row: Object.fromEntries(values), said, ...(before === undefined ? {} : { before }) };
}

/** Returns the fields that a draft changes, or undefined for a new record, because all its fields are new. */
export function changedIn({ row, before }: DraftRow): ReadonlySet<string> | undefined {
  if (before === undefined) return undefined;
  return new Set(Object.keys(row).filter((name) => !sameJson(row[name], before[name])));
}
