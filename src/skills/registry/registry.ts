import { keepLatest, skeletonOf, whyDeceptive, type Family, type Issue } from '../../core/index.ts';
import { cardOf } from '../catalog/entries.ts';
import type { Draft } from '../discover/draft.ts';
import { whatIsMissing, type World } from '../eligibility/eligibility.ts';
import { namesSkill, type Keyed } from '../eligibility/skill-settings.ts';
import {
  compareText,
  labelOf,
  settle,
  verdictOf,
  type Applicant,
  type NameApplicant,
  type Ruling,
} from './collisions.ts';
import { tryConfigured } from './definition.ts';
import { canonicalName, lookupOf, type Lookup } from './lookup.ts';
import { SkillRecord, qualifiedNames } from './record.ts';

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

/** An immutable view of all skills at one moment; frames that run keep theirs. */
export interface Registry {
  /** Every entry, whatever its status, by name, then path, in code units. */
  readonly skills: readonly SkillRecord[];
  readonly issues: readonly Issue[];
  readonly families: readonly Family[];
  readonly lookup: Lookup;
}

/** Decides names, collisions and eligibility. */
export function buildRegistry(
  applicants: readonly Applicant[],
  families: readonly Family[],
  world: World,
  scanIssues: readonly Issue[],
): Registry {
  const entries = applicants.map((applicant, order) => entryOf(applicant, order, world));
  const groups = Map.groupBy(
    entries.filter((entry) => entry.draft.usable),
    (entry) => entry.name,
  );
  const issues = [...scanIssues];
  const skills = entries
    .filter((entry) => !entry.draft.usable)
    .map((entry) => record({ entry, verdict: invalid }));
  const ranks = new Map(families.map((family, index) => [family.id, index]));
  const rank = (entry: NameApplicant): number => ranks.get(entry.origin.family.id) ?? families.length;
  for (const [name, group] of groups) {
    const [only, ...others] = group;
    if (only === undefined) continue;
    if (others.length === 0) {
      skills.push(record({ entry: only, verdict: verdictOf(only) }));
      continue;
    }
    const mayOverride = namesSkill(world.skills.allowOverrideBundled ?? [], name);
    for (const ruling of settle(group, { mayOverride, rank })) {
      skills.push(record(ruling));
      const issue = shadowed(ruling);
      if (issue !== undefined) issues.push(issue);
    }
  }
  for (const entry of entries) {
    const issue = deceptiveName(entry, groups);
    if (issue !== undefined) issues.push(issue);
  }
  skills.sort((a, b) => compareText(a.name, b.name) || compareText(a.file, b.file));
  for (const skill of skills) issues.push(...skill.issues);
  const lookup = lookupOf(skills, families);
  let known: readonly Issue[] | undefined;
  return {
    skills: Object.freeze(skills),
    get issues() {
      return (known ??= Object.freeze([...issues, ...unknownNames(skills, lookup)])); // looking up names takes a while
    },
    families,
    lookup,
  };
}

const invalid = { status: 'invalid' } as const;

function entryOf(applicant: Applicant, order: number, world: World): NameApplicant {
  const { origin, draft } = applicant;
  const { name, deceptive } = namedOf(applicant);
  const subject = { name, source: origin.source, requires: draft.card.requires };
  const missing = draft.usable ? whatIsMissing(subject, world) : [];
  return {
    origin,
    draft: withSettings(draft, subject, origin.family, world),
    name,
    order,
    missing,
    deceptive,
  };
}

/** What settings say goes before what the file says. */
function withSettings(draft: Draft, subject: Keyed, family: Family, { skills }: World): Draft {
  if (!draft.usable || skills.entries === undefined) return draft;
  const { configured, issues } = tryConfigured({ ...subject, card: draft.card }, family, skills);
  if (configured === undefined && issues.length === 0) return draft;
  return { ...draft, card: { ...draft.card, ...configured?.card }, issues: [...draft.issues, ...issues] };
}

type Named = Pick<NameApplicant, 'name' | 'deceptive'>;

const known = new WeakMap<Applicant, Named>();

/** What follows from the applicant alone, found once: one more skill must not cost as much as all of them. */
function namedOf(applicant: Applicant): Named {
  const before = known.get(applicant);
  if (before !== undefined) return before;
  const { origin, draft } = applicant;
  const written = draft.name === '' ? origin.stem : draft.name;
  const deceptive = /^[\x20-\x7e]*$/.test(written) ? undefined : whyDeceptive(written);
  const named = { name: canonicalName(draft.name, origin.stem), deceptive };
  known.set(applicant, named);
  return named;
}

function record({ entry, verdict }: Ruling): SkillRecord {
  return new SkillRecord(entry.origin, entry.draft, entry.name, verdict);
}

function shadowed({ entry, winner, verdict, reason, intended }: Ruling): Issue | undefined {
  if (winner === undefined || intended === true) return undefined;
  const { origin, name } = entry;
  const [qualified] = qualifiedNames(origin, name, verdict);
  const why = reason === undefined ? '' : ` ${reason}`;
  return {
    level: 'warning',
    code: 'registry.shadowed',
    message: `"${name}" (${origin.source}) is shadowed by ${labelOf(winner)} (${winner.origin.source}).${why}`,
    ...(origin.file === '' ? {} : { file: origin.file }),
    hint: `Reach it as "${qualified}", or rename it.`,
  };
}

function deceptiveName(
  entry: NameApplicant,
  groups: ReadonlyMap<string, readonly NameApplicant[]>,
): Issue | undefined {
  const skeleton = skeletonOf(entry.name);
  const twin = skeleton === entry.name ? undefined : groups.get(skeleton)?.[0];
  const why =
    entry.deceptive ?? (twin === undefined ? undefined : `it looks like "${twin.name}" (${labelOf(twin)})`);
  if (why === undefined) return undefined;
  return {
    level: 'warning',
    code: 'name.deceptive',
    message: `The name "${entry.name}" may deceive: ${why}. It never takes the place of another skill.`,
    ...(entry.origin.file === '' ? {} : { file: entry.origin.file }),
  };
}

/** Findings about names on lists of allowed skills that lead to no skill: such a list grants less than it says. */
function unknownNames(skills: readonly SkillRecord[], lookup: Lookup): readonly Issue[] {
  return skills.flatMap((skill) => {
    const { allowedSkills = [] } = skill.status === 'ready' ? cardOf(skill) : {};
    return allowedSkills
      .filter((name) => lookup.find(name) === undefined)
      .map((name): Issue => ({
        level: 'warning',
        code: 'list.unknown-skill',
        message: `"${skill.name}" may call "${name}", and there is no such skill.`,
        ...(skill.file === '' ? {} : { file: skill.file }),
        hint: hintFor(lookup.near(name)),
      }));
  });
}

function hintFor([near]: readonly string[]): string {
  return near === undefined
    ? 'Correct the name in its list of allowed skills, or add the skill.'
    : `Did you mean "${near}"?`;
}
