import type { IssueLevel, JsonObject } from '../../core/index.ts';
import type { ScriptPosition } from './plan.ts';

/** An issue in a script. All issues are collected before anything runs. */
export interface SopIssue {
  /** The severity. A script with an error cannot run. */
  readonly level: Extract<IssueLevel, 'error' | 'warning'>;
  readonly code: SopIssueCode;
  readonly message: string;
  /** The one-based line number. */
  readonly line: number;
  /** The one-based column, in UTF-16 units. */
  readonly column: number;
  readonly hint?: string;
  /** The facts in the message and the hint, as data. */
  readonly details?: JsonObject;
}

/** All codes for issues in a script. */
export type SopIssueCode =
  | 'sop.not-text'
  | 'sop.too-long'
  | 'sop.empty'
  | 'sop.no-declaration'
  | 'sop.no-name'
  | 'sop.no-command'
  | 'sop.open-string'
  | 'sop.open-escape'
  | 'sop.open-heredoc'
  | 'sop.after-heredoc'
  | 'sop.comment-in-text'
  | 'sop.not-last'
  | 'sop.duplicate'
  | 'sop.unknown-command'
  | 'sop.undefined'
  | 'sop.cycle'
  | 'sop.item-outside-each'
  | 'sop.item-in-guard'
  | 'sop.too-many-arguments'
  | 'sop.missing-argument'
  | 'sop.repeated-argument'
  | 'sop.bad-argument'
  | 'sop.unlikely-name'
  | 'sop.unlikely-text'
  | 'sop.reference-in-command'
  | 'sop.no-answer'
  | 'sop.too-many-steps';

/** Creates an error at a position. */
export function errorAt(
  position: ScriptPosition,
  code: SopIssueCode,
  message: string,
  hint?: string,
): SopIssue {
  return at('error', position, code, message, hint);
}

/** Creates a warning at a position. */
export function warningAt(
  position: ScriptPosition,
  code: SopIssueCode,
  message: string,
  hint?: string,
): SopIssue {
  return at('warning', position, code, message, hint);
}

/** Compares two positions, for use with `sort`. */
export function byPosition(one: ScriptPosition, other: ScriptPosition): number {
  return one.line - other.line || one.column - other.column;
}

function at(
  level: SopIssue['level'],
  { line, column }: ScriptPosition,
  code: SopIssueCode,
  message: string,
  hint: string | undefined,
): SopIssue {
  return { level, code, message, line, column, ...(hint === undefined ? {} : { hint }) };
}
