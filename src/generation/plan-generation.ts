import type { Issue } from '../core/issue.ts';
import type { Manifest } from './manifest.ts';
import type { Spec } from './read-specs.ts';

/** What code is made with, beside its specs. */
export interface Recipe {
  /** The version of the generator: another one makes everything anew. */
  readonly generator: string;
  readonly tier: string;
  /** What the skill promises its callers; that of the last generation unless given. */
  readonly contract?: string;
}

/** One file that is made of a spec. */
export interface PlannedFile {
  readonly spec: Spec;
  readonly inputs: string;
  /** Up to date, to be made, or not as it was made and therefore left alone. */
  readonly status: 'current' | 'due' | 'drifted';
}

/** What there is to do. */
export interface GenerationPlan {
  /** Each after all that it depends on. */
  readonly files: readonly PlannedFile[];
  /** Targets that were made of a spec which is gone, and are as they were made. */
  readonly orphans: readonly string[];
  /** Hash of everything that is to be made of what; a failure is remembered for it. */
  readonly inputs: string;
  readonly contract: string;
  readonly before: Manifest | undefined;
  readonly issues: readonly Issue[];
}

/** Compares the specs of a skill with what was made of them, by content alone; undefined where it has no specs. Never throws. */
export function planGeneration(
  _dir: string,
  _recipe: Recipe,
  _how: { readonly force?: boolean } = {},
): GenerationPlan | undefined {
  throw new Error('not yet');
}
