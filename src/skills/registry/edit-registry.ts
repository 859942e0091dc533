import type { Issue, Skill } from '../../core/index.ts';
import { differs, isCallable, type SkillChange } from './changes.ts';
import type { Applicant } from './collisions.ts';
import { withVersions, type NameIndex } from './lookup.ts';
import type { SkillRecord } from './record.ts';
import { compareSkills, createRegistry, entryOf, partsOf, type Registry } from './registry.ts';

/** A skill on disk before and after an edit. Both are the same if only other files of its bundle changed. */
export interface SkillEdit {
  readonly before: Applicant;
  readonly after: Applicant;
}

/** A registry after edits, and the changes that callers can see. */
interface EditedRegistry {
  readonly registry: Registry;
  readonly change: Omit<SkillChange, 'version'> | undefined;
}

/** The versions of skills that a registry has instead of those in its index. */
interface Versions {
  readonly index: NameIndex;
  /** The current version of each edited skill, keyed by the version in the index. */
  readonly current: ReadonlyMap<Skill, Skill>;
  readonly indexed: ReadonlyMap<Skill, Skill>;
}

const versions = new WeakMap<Registry, Versions>();

/** After this many edited skills, the registry and its index are built again. */
const maxVersions = 500;

/**
 * Applies edits to a registry without building it again, so that the time depends only on the number of edits.
 * Returns undefined if an edit may affect other skills: if it changes a name, or what a skill lacks. Otherwise, the
 * result is the same as from `buildRegistry`.
 */
export function editRegistry(
  registry: Registry,
  edits: readonly SkillEdit[],
  scanIssues: readonly Issue[],
  touched: (skill: SkillRecord) => boolean,
): EditedRegistry | undefined {
  const given = partsOf(registry);
  if (given === undefined) return undefined;
  const known = versions.get(registry);
  const index = known?.index ?? given.index;
  const current = new Map(known?.current);
  const indexed = new Map(known?.indexed);
  if (current.size + edits.length > maxVersions) return undefined;
  const skills = [...given.skills];
  const firsts = new Map<number, SkillRecord>();
  for (const edit of edits) {
    const position = positionOf(edit, given, skills);
    const old = skills[position];
    if (old === undefined) return undefined;
    if (!firsts.has(position)) firsts.set(position, old);
    if (edit.before.draft === edit.after.draft) continue;
    const next = versionOf(old, edit, given);
    if (next === undefined) return undefined;
    skills[position] = next;
    const first = indexed.get(old) ?? old;
    indexed.delete(old);
    indexed.set(next, first);
    current.set(first, next);
  }
  const after = createRegistry({
    ...given,
    skills: Object.freeze(skills),
    index: withVersions(index, current),
    scanIssues,
  });
  versions.set(after, { index, current, indexed });
  const updated = [...firsts]
    .sort(([a], [b]) => a - b)
    .flatMap(([position, old]) => {
      const next = skills[position];
      const isChanged = next !== undefined && isCallable(next) && (differs(old, next) || touched(next));
      return isChanged ? [next.name] : [];
    });
  return {
    registry: after,
    change: updated.length === 0 ? undefined : { added: [], updated, removed: [] },
  };
}

type Parts = NonNullable<ReturnType<typeof partsOf>>;

/** Returns the position of an edited skill, or -1 if the edit may affect other skills. */
function positionOf({ before }: SkillEdit, { world }: Parts, skills: readonly SkillRecord[]): number {
  if (!before.draft.usable) return -1;
  const { name, deceptive } = entryOf(before, 0, world);
  if (deceptive !== undefined || !isPlain(name)) return -1;
  const key = { name, file: before.origin.file };
  let low = 0;
  let high = skills.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const skill = skills[middle];
    if (skill !== undefined && compareSkills(skill, key) < 0) low = middle + 1;
    else high = middle;
  }
  const found = skills[low];
  return found?.name === name && found.file === key.file ? low : -1;
}

/**
 * Returns the new version of a skill, or undefined if its names or its requirements change, which decide which skill
 * gets a name.
 */
function versionOf(
  old: SkillRecord,
  { before, after }: SkillEdit,
  { world }: Parts,
): SkillRecord | undefined {
  if (!after.draft.usable) return undefined;
  const [was, is] = [entryOf(before, 0, world), entryOf(after, 0, world)];
  if (is.name !== was.name || is.deceptive !== undefined) return undefined;
  if (JSON.stringify(is.missing) !== JSON.stringify(was.missing)) return undefined;
  const next = old.withDraft(is.draft);
  return isSameList(next.otherNames, old.otherNames) ? next : undefined;
}

/** Whether a name has only ASCII characters, so that no other name looks the same. */
function isPlain(name: string): boolean {
  return /^[\x20-\x7e]*$/.test(name);
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}
