import { keepLatest } from '../core/collections.ts';
import { canonicalName } from './canonical-name.ts';
import type { Applicant } from './collisions.ts';
import type { SkillRecord } from './record.ts';
import type { Registry } from './registry.ts';

/** A snapshot, and one skill of it. */
export interface SnapshotWith {
  readonly registry: Registry;
  readonly skill: SkillRecord;
}

const mostKept = 32; // each is as large as the common one

/**
 * Gives a snapshot with a skill that code made: the common one where it is registered, else one of its own. Those of
 * the skills that were asked for last are kept for as long as the common one stays.
 */
export function createOwnSnapshots(
  build: (name: string, applicant: Applicant) => Registry,
): (common: Registry, applicant: Applicant) => SnapshotWith {
  const known = new Map<object, SnapshotWith>();
  let knownFor: Registry | undefined;
  return (common, applicant) => {
    const { made = applicant, stem } = applicant.origin;
    const isIt = (skill: SkillRecord): boolean => skill.made === made;
    const registered = common.skills.find(isIt);
    if (registered !== undefined) return { registry: common, skill: registered };
    if (knownFor !== common) known.clear();
    knownFor = common;
    return keepLatest(known, made, mostKept, () =>
      snapshotOf(build(canonicalName(applicant.draft.name, stem), applicant), isIt),
    );
  };
}

function snapshotOf(registry: Registry, isIt: (skill: SkillRecord) => boolean): SnapshotWith {
  return { registry, skill: registry.skills.find(isIt) as SkillRecord };
}
