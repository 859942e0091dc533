import type { Given } from './headed-values.ts';
import type { Issue } from './issue.ts';

/** What a limit in a descriptor may be. */
export interface LimitBounds {
  /** As it is written, such as `timeout`. */
  readonly key: string;
  /** What is counted, such as `seconds`. */
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

/** The limit that a descriptor gives; what is no whole number within the bounds is a finding, and counts as absent. */
export function limitIn(
  given: Given | undefined,
  { key, unit, least, most }: LimitBounds,
  issues: Issue[],
): number | undefined {
  if (given === undefined) return undefined;
  const written = given.text.trim();
  const amount = /^\d{1,9}$/.test(written) ? Number(written) : NaN;
  if (amount >= least && amount <= most) return amount;
  issues.push({
    level: 'warning',
    code: 'field.range',
    message: `"${key}" is not a whole number of ${unit} from ${least} to ${most}; the usual one is used.`,
    line: given.line,
    hint: `Write the number alone, without a unit, as in ${key}: ${Math.min(most, Math.max(least, 30))}.`,
  });
  return undefined;
}
