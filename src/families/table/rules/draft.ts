import { canonicalJson } from '../../../core/canonical.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Clock, Table, TableRow } from '../table.ts';
import type { FaultList } from './fault-list.ts';
import type { ProseRules } from './prose-rules.ts';

/** What rules are held against, and with what. */
export interface RuleGround {
  readonly table: Table;
  readonly prose: ProseRules;
  readonly clock: Clock;
  /** A new uuid. */
  readonly makeId: () => string;
}

/** A record that is about to be written, while its values are worked out. */
export interface Draft {
  /** Which of the request, counted from 0. */
  readonly index: number;
  readonly row: Record<string, Json>;
  /** The fields that the request speaks of. */
  readonly said: ReadonlySet<string>;
  /** As it is now; absent for a new one. */
  readonly before?: TableRow;
}

/** A draft of what is said of a record; an empty text is no value, and what is not said is as before. */
export function buildDraft(
  { table }: RuleGround,
  given: JsonObject,
  index: number,
  faults: FaultList,
  before?: TableRow,
): Draft {
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
export function changedIn({ row, before }: Draft): ReadonlySet<string> | undefined {
  if (before === undefined) return undefined;
  return new Set(Object.keys(row).filter((name) => !isSame(row[name] ?? null, before[name] ?? null)));
}

/** Whether two values are the same, whatever the order of their members. */
export function isSame(one: Json, other: Json): boolean {
  if (one === other) return true;
  const areObjects = typeof one === 'object' && typeof other === 'object';
  return areObjects && canonicalJson(one) === canonicalJson(other);
}
