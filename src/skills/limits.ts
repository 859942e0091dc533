import { defaultFrontmatterLimits, type FrontmatterLimits } from '../core/index.ts';

/** Limits for reading skills from disk. Reaching a limit is an issue and not an error. */
export interface SkillLimits extends FrontmatterLimits {
  readonly descriptorBytes: number;
  /** The maximum number of descriptors below one root. */
  readonly maxCandidatesPerRoot: number;
  /** The maximum number of usable skills per source. */
  readonly maxSkillsPerSource: number;
  /** The maximum number of folders to open below one root. The root counts. */
  readonly maxFoldersPerRoot: number;
  /** The maximum depth of folders. A folder directly in the root has depth 1. */
  readonly maxDepth: number;
}

/** The default limits. All limits are inclusive. */
export const defaultSkillLimits: SkillLimits = {
  ...defaultFrontmatterLimits,
  descriptorBytes: 256_000,
  maxCandidatesPerRoot: 20_000,
  maxSkillsPerSource: 20_000,
  maxFoldersPerRoot: 50_000,
  maxDepth: 16,
};
