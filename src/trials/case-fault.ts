/** What is wrong with a file of cases. */
export interface CaseFault {
  /** Absolute. */
  readonly file: string;
  /** One-based. */
  readonly line: number;
  /** A sentence. */
  readonly message: string;
  readonly hint?: string;
}
