/** Something that is not as a case expects it. */
export interface Mismatch {
  /** As `status`, `value.total` or `files.notes.txt`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  /** The next step, where one is known. */
  readonly hint?: string;
}
