import type { Issue } from './issue.ts';

/** A file that is made of others. */
export interface MadeFile {
  /** From the folder of the skill, as `src/index.ts`. */
  readonly path: string;
  /** What it is made of, as `specs/index.ts.md`; absent for one that a person wrote. */
  readonly from?: string;
  /** Made and up to date; to be made; changed by hand since; or written by a person to begin with. */
  readonly status: 'current' | 'due' | 'drifted' | 'own';
  /** `sha256:` and 64 digits; absent where there is no file. */
  readonly digest?: string;
}

/** What was made of a skill's files, as people are told. */
export interface Made {
  /**
   * The gravest that holds: the last try failed and nothing changed since, something was changed by hand, something is to
   * be made, there is nothing to run, all is as it should be; or all of it was written by a person.
   */
  readonly status: 'failed' | 'drifted' | 'due' | 'missing' | 'current' | 'own';
  readonly files: readonly MadeFile[];
  /** What people should know, each with a next step. */
  readonly issues: readonly Issue[];
}

/** What a person wants of a build. */
export interface BuildRequest {
  /** Make everything again, also what is up to date or was changed by hand; what failed is tried again anyway. */
  readonly force?: boolean;
}
