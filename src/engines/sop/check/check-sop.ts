import { checkPlan, type CheckOptions } from './check-plan.ts';
import type { CheckedPlan } from '../checked-plan.ts';
import type { SopCommands } from '../command.ts';
import { createKnownCommands } from './known-commands.ts';
import { parseSop } from '../language/parse-sop.ts';
import { hasPlace } from './read-intake.ts';
import type { ResolvedStep } from './resolve-step.ts';
import { byPlace, errorAt, type SopIssue, type SopIssueCode } from '../sop-issue.ts';

/** A script that was looked at, and not run. */
export interface CheckedScript {
  /** There if and only if no issue is an error. */
  readonly plan?: CheckedPlan;
  /** All steps that could be read, for drawing. */
  readonly steps: readonly ResolvedStep[];
  /** All of them, in the order of their places. */
  readonly issues: readonly SopIssue[];
}

/** Reads a script and tells all that is wrong with it, so far as it can be told before it runs. Never throws. */
export function checkSop(script: string, commands: SopCommands, options: CheckOptions = {}): CheckedScript {
  const known = createKnownCommands(commands);
  const declares = (command: string, key: string): boolean => {
    const found = known.find(command);
    return found !== undefined && hasPlace(found.intake, key);
  };
  const parsed = parseSop(script, declares);
  const { plan, steps, issues: found } = checkPlan(parsed.plan, script, known, options);
  const unread = linesOf(parsed.issues.filter(isError));
  const issues = [
    ...parsed.issues,
    ...(parsed.plan.steps.length === 0 && !parsed.issues.some(isError) ? [empty] : []),
    ...found.filter(({ line, code }) => !(unread.has(line) && aboutArguments.has(code))),
  ].sort(byPlace);
  return { ...(issues.some(isError) ? {} : { plan }), steps, issues };
}

const empty = errorAt(
  { line: 1, column: 1 },
  'sop.empty',
  'The script has no step.',
  'Write one, as in "@name command".',
);

/** Where a line cannot be read to its end, its arguments are not known. */
const aboutArguments: ReadonlySet<SopIssueCode> = new Set([
  'sop.missing-argument',
  'sop.too-many-arguments',
  'sop.bad-argument',
]);

function linesOf(issues: readonly SopIssue[]): ReadonlySet<number> {
  return new Set(issues.map(({ line }) => line));
}

function isError({ level }: SopIssue): boolean {
  return level === 'error';
}
