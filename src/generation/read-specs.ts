import type { Issue } from '../core/issue.ts';

/** A text that says what one source file of a skill does. */
export interface Spec {
  /** From the folder of the skill, as `specs/lib/parse.ts.md`. */
  readonly path: string;
  /** The file that is made of it, from `src`, as `lib/parse.ts`. */
  readonly target: string;
  readonly text: string;
  /** The targets of the other specs that it builds on. */
  readonly dependencies: readonly string[];
}

/** The specs of a skill, each after all that it depends on, and what is wrong with them; an error keeps all of them from being used. */
export interface Specs {
  readonly specs: readonly Spec[];
  readonly issues: readonly Issue[];
}

/** Reads the specs in the folder of a skill; undefined where it has none. Never throws. */
export function readSpecs(_dir: string): Specs | undefined {
  throw new Error('not yet');
}
