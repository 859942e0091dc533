import type { Source } from '../../../core/skill.ts';
import type { SkillTrust } from '../../../doctor/trust.ts';

/** A skill that brings code, and how it stands with it. */
export interface ListedSkill extends SkillTrust {
  /** Under which it is found. */
  readonly name: string;
  readonly source: Source;
  readonly dir: string;
  /** What can run, from its folder. */
  readonly files: readonly string[];
  /** Set when another version of it was trusted. */
  readonly changed?: true;
}

/** The settings of the project that the command works in. */
export interface ListedProject {
  readonly folder: string;
  readonly digest: string;
  readonly files: readonly string[];
  readonly trusted: boolean;
  /** Set when they were trusted as they were before. */
  readonly changed?: true;
  /** The keys of its settings that do not count while it is not trusted. */
  readonly uncounted: readonly string[];
}
