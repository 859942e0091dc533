/** Something wrong with files that are only ours, and how it is put right; it never touches skills or trust. */
export interface Repair {
  readonly id: string;
  /** What is wrong, in words. */
  readonly what: string;
  /** What was done, in words. */
  readonly done: string;
  /** Throws where that cannot be done. */
  mend(): void;
}

/** What came of a repair. */
export interface Mended {
  readonly id: string;
  readonly what: string;
  readonly status: 'fixed' | 'failed';
  /** What was done, or why it could not be done. */
  readonly result: string;
}
