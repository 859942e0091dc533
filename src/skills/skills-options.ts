import type { DefinedSkill, Family, Issue, Skill } from '../core/index.ts';
import type { CountText } from './catalog/budget.ts';
import type { DiskContents } from './disk-skills.ts';
import type { Root } from './discover/listing.ts';
import type { World } from './eligibility/eligibility.ts';
import type { SkillRanking } from './rank/skill-ranking.ts';
import type { Applicant } from './registry/collisions.ts';
import type { SkillRecord } from './registry/record.ts';

/** Options for creating an agent's skill registry. */
export interface SkillsOptions {
  /** The families that read descriptors, in order of precedence. */
  readonly families: readonly Family[];
  /** The package's own skills that are defined in code. */
  readonly builtins: readonly DefinedSkill[];
  /** Returns the tools of servers, which are skills without a file. */
  readonly serverTools?: () => readonly Applicant[];
  /** The machine and the settings against which requirements are checked. */
  readonly world: World;
  /** Counts the tokens of an element of a catalog. */
  readonly countTokens: CountText;
  /** Whether a skill's descriptor contains code that runs. Assumed if it cannot be read. */
  readonly hasCodeInDescriptor: (skill: SkillRecord) => boolean;
  /** Ranks skills for a prompt. */
  readonly ranking: Pick<SkillRanking, 'issues' | 'rank' | 'learn'>;
  /** The folder against which relative paths are resolved. */
  readonly startDir?: string | undefined;
  /** Scans the roots. Called when skills are first needed, and by `loadDir`. */
  readonly discover: (extraRoots: readonly string[]) => DiskContents;
  /** Scans other folders without adding them as roots. */
  readonly scan: (roots: readonly Root[]) => DiskContents;
  /** Called after `loadDir` has added a root, so that the root can be watched. */
  readonly onRootAdded?: () => Promise<void>;
  /** Returns issues that depend on the registered skills. */
  readonly issuesOf?: (skills: readonly Skill[]) => readonly Issue[];
}
