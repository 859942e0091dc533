import type { Json, JsonObject } from '../../../core/index.ts';
import { sameJson } from '../records/same-json.ts';
import type { TableRow } from '../table.ts';
import type { FaultList } from './fault-list.ts';
import type { RuleGround } from './rule-ground.ts';

/** A record that is about to be written, while its values are worked out. */
export interface DraftRow {
  /** Which of the request, counted from 0. */
  readonly index: number;
  readonly row: Record<string, Json>;
  /** The fields that the request speaks of. */
  readonly said: ReadonlySet<string>;
  /** As it is now; absent for a new one. */
  readonly before?: TableRow;
}

/** What is said of a record; an empty text is no value, and what is not said is as before. */
export function buildDraftRow(
  { table }: RuleGround,
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

/** The fields that a draft changes; undefined for a new record, of which all are new. */
export function changedIn({ row, before }: DraftRow): ReadonlySet<string> | undefined {
  if (before === undefined) return undefined;
  return new Set(Object.keys(row).filter((name) => !sameJson(row[name], before[name])));
}
