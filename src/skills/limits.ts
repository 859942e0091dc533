import { defaultFrontmatterLimits, type FrontmatterLimits } from '../core/index.ts';

/** Limits for reading skills from disk. Reaching a limit is reported as an issue, not thrown as an error. */
export interface SkillLimits extends FrontmatterLimits {
  readonly descriptorBytes: number;
  /** The maximum number of descriptors in one root. */
  readonly maxCandidatesPerRoot: number;
  /** The maximum number of usable skills per source. */
  readonly maxSkillsPerSource: number;
  /** The maximum number of folders to open in one root, including the root itself. */
  readonly maxFoldersPerRoot: number;
  /** The maximum depth of folders below a root. A folder directly in the root has depth 1. */
  readonly maxDepth: number;
}

/** The default limits. All limits are inclusive. */
export const defaultSkillLimits: SkillLimits = {
  ...defaultFrontmatterLimits,
  descriptorBytes: 256_000,
  maxCandidatesPerRoot: 200_000,
  maxSkillsPerSource: 200_000,
  maxFoldersPerRoot: 400_000,
  maxDepth: 16,
};
