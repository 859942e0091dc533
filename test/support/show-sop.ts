import type { SopIssue } from '../../src/engines/sop/issue.ts';
import type { SopEnd, StepValue } from '../../src/engines/sop/plan-run.ts';
import { textOf } from './text-of.ts';

/** Formats the end of a plan as the documentation shows it: status and answer, then one line per variable. */
export function showEnd({ status, answer, error, variables }: SopEnd): string {
  const outcome = answer === undefined ? error?.message : textOf(answer);
  const rows = Object.entries(variables).map(([name, value]) => `  @${name} ${showValue(value)}`);
  return `${[outcome === undefined ? status : `${status}: ${outcome}`, ...rows].join('\n')}\n`;
}

/** Formats an issue as the documentation shows it. */
export function showIssue({ line, column, code, message, hint }: SopIssue): string {
  return `${line}:${column} ${code} ${message}${hint === undefined ? '' : ` ${hint}`}\n`;
}

function showValue(value: StepValue): string {
  if (value.status === 'success') return `= ${textOf(value.value)}`;
  if (value.status === 'fail') return `fail: ${value.error.message}`;
  return `${value.status}: ${value.reason}`;
}
