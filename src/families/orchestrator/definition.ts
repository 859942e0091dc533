import type { Given } from '../../core/descriptor/values.ts';

/** What an oskill.md says beyond its card; an absent list is not the same as an empty one. */
export interface OrchestratorDefinition {
  /** The whole description; the card has its first paragraph. */
  readonly description: string;
  readonly instructions?: string;
  readonly session: 'loop' | 'sop';
  /** Absent: every other skill. Empty: none. */
  readonly allowedSkills?: readonly string[];
  readonly preparation?: string;
  /** Absent: the allowed skills. Empty: none. */
  readonly allowedPrepSkills?: readonly string[];
  /** Hints for routing, one a line. */
  readonly intents?: readonly string[];
  /** A plan that needs no planner, and where it begins in the file. */
  readonly script?: Given;
  readonly help?: string;
  /** Set when it was made for one prompt: the names of the skills that fit it, best first. */
  readonly bestFirst?: readonly string[];
}
