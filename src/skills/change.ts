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
  const gone = byFamilyAndName(before);
  const added: string[] = [];
  const updated: string[] = [];
  for (const skill of after.skills) {
    if (!isCallable(skill)) continue;
    const family = gone.get(skill.family);
    const earlier = family?.get(skill.name);
    family?.delete(skill.name);
    if (earlier === undefined) added.push(skill.name);
    else if (differs(earlier, skill) || touched(skill)) updated.push(skill.name);
  }
  const removed = [...gone.values()].flatMap((family) => [...family.keys()]).sort();
  return added.length + removed.length + updated.length === 0 ? undefined : { added, removed, updated };
}

/** Two steps instead of one joined key: this runs over every skill after every change. */
function byFamilyAndName(registry: Registry): ReadonlyMap<string, Map<string, SkillRecord>> {
  const families = new Map<string, Map<string, SkillRecord>>();
  for (const skill of registry.skills) {
    if (!isCallable(skill)) continue;
    const family = families.get(skill.family);
    if (family === undefined) families.set(skill.family, new Map([[skill.name, skill]]));
    else family.set(skill.name, skill);
  }
  return families;
}

function isCallable({ status }: SkillRecord): boolean {
  return status === 'ready' || status === 'unavailable';
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
