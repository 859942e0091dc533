import type { JsonObject } from './json.ts';

/**
 * The severity of an issue. An error makes something unusable; a warning marks something that was repaired or
 * looks wrong.
 */
export type IssueLevel = 'error' | 'warning' | 'info';

/** An issue in a file, reported as data instead of thrown. */
export interface Issue {
  readonly level: IssueLevel;
  /** A code of the form `<part>.<issue>`. Scripts can rely on it. */
  readonly code: `${string}.${string}`;
  readonly message: string;
  readonly file?: string;
  /** The one-based line number. */
  readonly line?: number;
  readonly hint?: string;
  /**
   * Set if skilled accepts something that the open standard or a strict parser rejects. `--strict` makes this
   * an error.
   */
  readonly standard?: true;
  /** The facts in the message as data, so that programs never need to parse the message. */
  readonly details?: JsonObject;
}

/** Returns a copy of the issue with the given severity. */
export function atLevel(issue: Issue, level: IssueLevel): Issue {
  return issue.level === level ? issue : { ...issue, level };
}

/** Whether any of the issues is an error. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(({ level }) => level === 'error');
}

/** Returns the issues, adding the file to those that do not have one. */
export function locate(issues: readonly Issue[], file: string): readonly Issue[] {
  return issues.every((issue) => issue.file !== undefined)
    ? issues
    : issues.map((issue) => (issue.file === undefined ? { ...issue, file } : issue));
}
