import { defaultFrontmatterLimits, type FrontmatterLimits } from '../core/index.ts';

/** Safety limits for reading skills from disk. Reaching a limit is reported as an issue. */
export interface SkillLimits extends FrontmatterLimits {
  readonly descriptorBytes: number;
  /** The maximum number of descriptors below one root. */
  readonly maxCandidatesPerRoot: number;
  /** The maximum number of usable skills per source. */
  readonly maxSkillsPerSource: number;
  /** The maximum number of folders to open in one root, including the root. */
  readonly maxFoldersPerRoot: number;
  /** The maximum folder depth; a folder directly in the root has depth 1. */
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
