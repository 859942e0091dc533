import { getOrCreate } from '../../core/index.ts';
import type { Applicant } from './collisions.ts';
import { canonicalName } from './lookup.ts';
import type { SkillRecord } from './record.ts';
import type { Registry } from './registry.ts';

/** A snapshot of the registry, and a skill that the snapshot contains. */
export interface SnapshotWith {
  readonly registry: Registry;
  readonly skill: SkillRecord;
}

// The maximum number of cached snapshots. It is low, because each one needs as much memory as the shared
// snapshot.
const maxSnapshots = 32;

/**
 * Returns a function that returns a snapshot with a given skill from code. This is the shared snapshot if the
 * skill is registered, or else a separate snapshot. Recently used separate snapshots are cached until the
 * shared snapshot changes.
 */
export function createOwnSnapshots(
  build: (name: string, applicant: Applicant) => Registry,
): (common: Registry, applicant: Applicant) => SnapshotWith {
  const known = new Map<object, SnapshotWith>();
  let knownFor: Registry | undefined;
  return (common, applicant) => {
    const { codeDefinition = applicant, stem } = applicant.origin;
    const isIt = (skill: SkillRecord): boolean => skill.codeDefinition === codeDefinition;
    const registered = common.skills.find(isIt);
    if (registered !== undefined) return { registry: common, skill: registered };
    if (knownFor !== common) known.clear();
    knownFor = common;
    return getOrCreate(known, codeDefinition, maxSnapshots, () =>
      snapshotOf(build(canonicalName(applicant.draft.name, stem), applicant), isIt),
    );
  };
}

function snapshotOf(registry: Registry, isIt: (skill: SkillRecord) => boolean): SnapshotWith {
  return { registry, skill: registry.skills.find(isIt) as SkillRecord };
}
