import { defaultFrontmatterLimits, type FrontmatterLimits } from '../core/index.ts';

/** Guards against accidents while reading skills from disk; each is reported when it bites. */
export interface SkillLimits extends FrontmatterLimits {
  readonly descriptorBytes: number;
  /** Descriptors looked at below one root. */
  readonly maxCandidatesPerRoot: number;
  /** Usable skills of one source. */
  readonly maxSkillsPerSource: number;
  /** Folders opened in one root, itself included. */
  readonly maxFoldersPerRoot: number;
  /** Depth 1 is a folder directly in the root. */
  readonly maxDepth: number;
}

/** The limits unless the caller sets others; exactly the limit is allowed. */
export const defaultSkillLimits: SkillLimits = {
  ...defaultFrontmatterLimits,
  descriptorBytes: 256_000,
  maxCandidatesPerRoot: 20_000,
  maxSkillsPerSource: 20_000,
  maxFoldersPerRoot: 50_000,
  maxDepth: 16,
};
