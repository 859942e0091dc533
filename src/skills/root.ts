import type { Source } from '../core/skill.ts';

/** A folder in which skills are looked for. */
export interface Root {
  /** Absolute, as the user would write it. */
  readonly path: string;
  readonly source: Source;
  /** `skills`, or the folder name of the family that owns every Markdown file below it. */
  readonly kind: string;
  /** Set when the user named it: then a missing folder is worth a finding. */
  readonly named?: true;
  /** The server whose skills these are copies of. */
  readonly server?: string;
}

/** The kind of a root that holds bundles. */
export const skillsRoot = 'skills';
