import type { Issue } from '../../src/core/issue.ts';
import type { Stage } from './stage.ts';

/** Checks that a case leaves to its stage: an issue must name each of these files. */
export interface Diagnosed {
  readonly issues: readonly Issue[];
  readonly files: readonly string[];
}

/** An entry of the list that every release must pass. It throws if its statement does not hold. */
export interface SafetyCase {
  /** `P01` to `P37`. */
  readonly id: string;
  readonly what: string;
  run(stage: Stage): Promise<Diagnosed | undefined>;
}
