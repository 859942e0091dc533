import type { IssueLevel, JsonObject } from '../../core/index.ts';
import type { ScriptPosition } from './plan.ts';

/** A finding in a script; all of them are collected before anything runs. */
export interface SopIssue {
  /** An error keeps the script from running, a warning does not. */
  readonly level: Extract<IssueLevel, 'error' | 'warning'>;
  readonly code: SopIssueCode;
  readonly message: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column: number;
  readonly hint?: string;
  /** What the message or the hint names, for programs. */
  readonly details?: JsonObject;
}

/** Every kind of finding in a script. */
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

/** Makes an error at a place. */
export function errorAt(place: ScriptPosition, code: SopIssueCode, message: string, hint?: string): SopIssue {
  return at('error', place, code, message, hint);
}

/** Makes a warning at a place. */
export function warningAt(
  place: ScriptPosition,
  code: SopIssueCode,
  message: string,
  hint?: string,
): SopIssue {
  return at('warning', place, code, message, hint);
}

/** Orders findings by their places, for `sort`. */
export function byPlace(one: ScriptPosition, other: ScriptPosition): number {
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
