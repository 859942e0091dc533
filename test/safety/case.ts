import type { Issue } from '../../src/core/issue.ts';
import type { Stage } from './stage.ts';

/** What a case leaves for its stage to check: that a finding names each of these files. */
export interface Diagnosed {
  readonly issues: readonly Issue[];
  readonly files: readonly string[];
}

/** One line of the list that every release passes; it throws when what it states is not seen. */
export interface SafetyCase {
  /** `P01` to `P37`. */
  readonly id: string;
  readonly what: string;
  run(stage: Stage): Promise<Diagnosed | undefined>;
}
