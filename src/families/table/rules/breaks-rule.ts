import { matches } from '../request/matches.ts';
import type { Condition } from '../request/request.ts';
import type { Table, TableRow } from '../table.ts';

/**
 * Whether a record breaks a rule that is written as a condition. As with the checks of databases, a comparison says
 * nothing about a field without a value: `price is at least 0` lets a record without a price be. Pure.
 */
export function breaksRule(table: Table, holds: Condition, row: TableRow): boolean {
  return verdictOf(table, holds, row) === false;
}

/** Undefined where it depends on a value that is not there. */
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
