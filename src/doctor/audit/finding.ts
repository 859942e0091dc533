/** How much a finding weighs: high is hardly ever innocent, medium wants a look, low is for the record. */
export type Severity = 'high' | 'medium' | 'low';

/** Something in a file that a person should look at before they trust it; advice, no verdict. */
export interface Finding {
  /** The pattern that found it. */
  readonly id: string;
  readonly severity: Severity;
  /** Absolute. */
  readonly file: string;
  /** Counted from 1; absent where the whole file is meant. */
  readonly line?: number;
  /** A sentence that says what was found. */
  readonly what: string;
  /** The text in question, on one line, cut, with everything invisible spelled out. */
  readonly text: string;
  /** A sentence that says what to do. */
  readonly hint: string;
}

const order: readonly Severity[] = ['high', 'medium', 'low'];

/** For sorting: the gravest first, then by place. */
export function compareFindings(a: Finding, b: Finding): number {
  if (a.severity !== b.severity) return order.indexOf(a.severity) - order.indexOf(b.severity);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}
