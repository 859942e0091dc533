/** What a source file was made of, and what came out. */
export interface ManifestEntry {
  readonly spec: string;
  /** Hash of everything that it was made of. */
  readonly inputs: string;
  /** Hash of its bytes when it was made. */
  readonly output: string;
}

/** What a generation left behind, beside the files that it made: `src/.generated.json`. It holds no times. */
export interface Manifest {
  readonly version: 1;
  readonly generator: string;
  readonly tier: string;
  /** What the skill promises its callers, in the words that were given to the model. */
  readonly contract: string;
  /** By target. */
  readonly files: Readonly<Record<string, ManifestEntry>>;
}
