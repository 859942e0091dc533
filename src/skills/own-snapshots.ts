import { canonicalName } from './canonical-name.ts';
import type { Applicant } from './collisions.ts';
import type { SkillRecord } from './record.ts';
import type { Registry } from './registry.ts';

/** A snapshot, and one skill of it. */
export interface SnapshotWith {
  readonly registry: Registry;
  readonly skill: SkillRecord;
}

/**
 * Gives a snapshot with a skill that code made: the common one where it is registered, else one of its own, which is
 * made once for as long as the common one stays.
 */
export function createOwnSnapshots(
  build: (name: string, applicant: Applicant) => Registry,
): (common: Registry, applicant: Applicant) => SnapshotWith {
  const known = new WeakMap<object, SnapshotWith & { readonly common: Registry }>();
  return (common, applicant) => {
    const { made = applicant, stem } = applicant.origin;
    const isIt = (skill: SkillRecord): boolean => skill.made === made;
    const registered = common.skills.find(isIt);
    if (registered !== undefined) return { registry: common, skill: registered };
    const before = known.get(made);
    if (before?.common === common) return before;
    const registry = build(canonicalName(applicant.draft.name, stem), applicant);
    const own = { common, registry, skill: registry.skills.find(isIt) as SkillRecord };
    known.set(made, own);
    return own;
  };
}
