import type { Registry } from './registry.ts';
import type { SkillRecord } from './record.ts';

/** What a new snapshot changed among the skills that can be called. */
export interface SkillChange {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly version: number;
}

/** The differences between two snapshots; undefined when no caller could tell them apart. */
export function changeBetween(
  before: Registry,
  after: Registry,
  touched: (skill: SkillRecord) => boolean,
): Omit<SkillChange, 'version'> | undefined {
  const old = callable(before);
  const fresh = callable(after);
  const added = [...fresh].filter(([key]) => !old.has(key)).map(([, skill]) => skill.name);
  const removed = [...old].filter(([key]) => !fresh.has(key)).map(([, skill]) => skill.name);
  const updated = [...fresh].filter(([key, skill]) => {
    const earlier = old.get(key);
    return earlier !== undefined && (differs(earlier, skill) || touched(skill));
  });
  if (added.length + removed.length + updated.length === 0) return undefined;
  return { added, removed, updated: updated.map(([, skill]) => skill.name) };
}

function callable(registry: Registry): ReadonlyMap<string, SkillRecord> {
  const usable = registry.skills.filter(
    (skill) => skill.status === 'ready' || skill.status === 'unavailable',
  );
  return new Map(usable.map((skill) => [`${skill.family}\0${skill.name}`, skill]));
}

function differs(a: SkillRecord, b: SkillRecord): boolean {
  return (
    a.sum !== b.sum ||
    a.status !== b.status ||
    a.file !== b.file ||
    a.source !== b.source ||
    a.made !== b.made ||
    (a.missing !== b.missing && JSON.stringify(a.missing) !== JSON.stringify(b.missing))
  );
}
