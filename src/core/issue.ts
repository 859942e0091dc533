import type { JsonObject } from './json.ts';

/** How much a finding matters: an error makes something unusable, a warning was repaired or is doubtful. */
export type IssueLevel = 'error' | 'warning' | 'info';

/** A finding about a file, collected instead of thrown. */
export interface Issue {
  readonly level: IssueLevel;
  /** `<part>.<finding>`, stable for scripts. */
  readonly code: `${string}.${string}`;
  readonly message: string;
  readonly file?: string;
  /** One-based. */
  readonly line?: number;
  readonly hint?: string;
  /** Set when the open standard calls this invalid although we can use it: an error under `--strict`. */
  readonly standard?: true;
  /** What the message names, for programs: no code reads a message. */
  readonly details?: JsonObject;
}

/** The issue with a higher or lower level. */
export function atLevel(issue: Issue, level: IssueLevel): Issue {
  return issue.level === level ? issue : { ...issue, level };
}

/** The issues with their file filled in where it is missing. */
export function locate(issues: readonly Issue[], file: string): readonly Issue[] {
  return issues.every((issue) => issue.file !== undefined)
    ? issues
    : issues.map((issue) => (issue.file === undefined ? { ...issue, file } : issue));
}
