import type { Issue } from '../core/index.ts';
import type { Discovered } from './discover/discover.ts';
import { applicantOn } from './load-skill.ts';
import type { Applicant } from './registry/collisions.ts';
import type { SkillEdit } from './registry/edit-registry.ts';

/** The result of a scan of the disk. */
export interface DiskContents {
  readonly discovered: readonly Discovered[];
  readonly issues: readonly Issue[];
  /** The only differences from an earlier result, if they are known. */
  readonly edits?: DiskEdits | undefined;
}

/** The differences of a scan from an earlier one that found the same descriptors. */
export interface DiskEdits {
  /** The result of the earlier scan. */
  readonly base: readonly Discovered[];
  /** The indexes of the skills that changed, or whose other files changed. */
  readonly indexes: readonly number[];
}

/** The skills on disk, as applicants for the registry. */
export interface DiskSkills {
  readonly discovered: readonly Discovered[];
  readonly applicants: readonly Applicant[];
  readonly issues: readonly Issue[];
}

/**
 * Converts the result of a scan. If it is an edit of `before`, converts only the skills that changed, and returns
 * them in `edits`.
 */
export function readDisk(
  { discovered, issues, edits: given }: DiskContents,
  before?: DiskSkills,
): { readonly disk: DiskSkills; readonly edits?: readonly SkillEdit[] } {
  if (before === undefined || given?.base !== before.discovered)
    return { disk: { discovered, applicants: discovered.map(applicantOn), issues } };
  const applicants = [...before.applicants];
  const edits = given.indexes.flatMap((index): SkillEdit[] => {
    const [old, next] = [before.applicants[index], discovered[index]];
    if (old === undefined || next === undefined) return [];
    const after = next.draft === old.draft ? old : applicantOn(next);
    applicants[index] = after;
    return [{ before: old, after }];
  });
  return { disk: { discovered, applicants, issues }, edits };
}
