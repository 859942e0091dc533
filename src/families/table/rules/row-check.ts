import { matches } from '../request/matches.ts';
import type { Condition } from '../request/request.ts';
import { labelOf } from '../show/label-of.ts';
import type { Field, Table, TableRow } from '../table.ts';
import { checkValue, textsOf } from './check-value.ts';
import { isRequired } from './is-required.ts';
import { createPatternTest } from './test-pattern.ts';

/** A problem with a record or one of its fields, as a user-facing message. */
interface RowFault {
  readonly field?: string;
  readonly message: string;
}

/**
 * Creates a function that checks records against the rules that need no generated code. For a changed record,
 * it checks only rules that involve a changed field. Potentially slow patterns are tested on all of `rows`
 * together.
 */
export function createRowCheck(
  table: Table,
  rows: readonly TableRow[],
): (row: TableRow, changed?: ReadonlySet<string>) => readonly RowFault[] {
  const testPattern = createPatternTest((pattern) => {
    const names = table.fields.filter((field) => field.pattern === pattern).map(({ name }) => name);
    return rows.flatMap((row) => names.flatMap((name) => textsOf(row[name] ?? null)));
  });
  const fields = table.fields.map((field) => ({ field, requiredBy: fieldsOf(field.requiredIf) }));
  const rules = table.recordRules.map((rule) => ({ rule, about: fieldsOf(rule.holds) }));
  return (row, changed) => {
    const involves = (name: string): boolean => changed === undefined || changed.has(name);
    const faults: RowFault[] = [];
    for (const { field, requiredBy } of fields) {
      const { name } = field;
      const value = row[name] ?? null;
      if (value === null) {
        const isLooked = involves(name) || requiredBy.some(involves);
        if (isLooked && isRequired(table, field, row))
          faults.push({ field: name, message: `${labelOf(field)} is required${whyOf(field)}.` });
      } else if (involves(name)) {
        const message = checkValue(field, value, testPattern);
        if (message !== undefined) faults.push({ field: name, message });
      }
    }
    for (const { rule, about } of rules) {
      if (about.some(involves) && breaksRule(table, rule.holds, row))
        faults.push({ message: `This rule is broken: ${rule.text}` });
    }
    return faults;
  };
}

function whyOf({ requiredIf, requiredWhen }: Field): string {
  return requiredIf === undefined || requiredWhen === undefined
    ? ''
    : `: ${requiredWhen.text.replace(/\.$/, '')}`;
}

/** Returns the fields in a condition. */
function fieldsOf(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  if ('all' in condition) return condition.all.flatMap(fieldsOf);
  if ('any' in condition) return condition.any.flatMap(fieldsOf);
  return 'not' in condition ? fieldsOf(condition.not) : [condition.field];
}

/**
 * Whether a record violates a rule that is written as a condition. As in database check constraints, a
 * comparison passes if its field has no value: `price is at least 0` allows a record without a price. Pure.
 */
export function breaksRule(table: Table, holds: Condition, row: TableRow): boolean {
  return verdictOf(table, holds, row) === false;
}

/** Evaluates a condition. Returns undefined if the result depends on a missing value. */
function verdictOf(table: Table, condition: Condition, row: TableRow): boolean | undefined {
  if ('all' in condition || 'any' in condition) {
    const decides = 'any' in condition;
    const parts = 'any' in condition ? condition.any : condition.all;
    const verdicts = parts.map((part) => verdictOf(table, part, row));
    if (verdicts.includes(decides)) return decides;
    return verdicts.includes(undefined) ? undefined : !decides;
  }
  if ('not' in condition) {
    const verdict = verdictOf(table, condition.not, row);
    return verdict === undefined ? undefined : !verdict;
  }
  const { field, is } = condition;
  const isAbout = is === 'empty' || is === 'not-empty';
  return !isAbout && (row[field] ?? null) === null ? undefined : matches(table, condition, row);
}
