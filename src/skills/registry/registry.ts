import {
  getOrCreate,
  skeletonOf,
  whyDeceptive,
  type Family,
  type Issue,
  type Skill,
} from '../../core/index.ts';
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
import { unknownNames, unknownTools } from './list-issues.ts';
import { canonicalName, indexSkills, lookupOf, type Lookup, type NameIndex } from './lookup.ts';
import { SkillRecord, qualifiedNames } from './record.ts';

/** An immutable snapshot of all skills. Each frame uses the same snapshot until it ends. */
export interface Registry {
  /** All skills of any status, ordered by name and then by path, in code unit order. */
  readonly skills: readonly SkillRecord[];
  readonly issues: readonly Issue[];
  readonly families: readonly Family[];
  readonly lookup: Lookup;
  /** Returns the skills in the bundle of a skill. They are not included in `skills`. */
  nestedIn(parent: Skill): readonly SkillRecord[];
}

/**
 * Builds a registry: resolves names and collisions, and checks the requirements of skills. `findNested`
 * searches the bundle of a skill. It is called when one of the skill's nested skills is first needed.
 */
export function buildRegistry(
  applicants: readonly Applicant[],
  families: readonly Family[],
  world: World,
  scanIssues: readonly Issue[],
  findNested: (parent: SkillRecord) => readonly Applicant[] = () => [],
): Registry {
  const entries = applicants.map((applicant, order) => entryOf(applicant, order, world));
  const groups = Map.groupBy(
    entries.filter((entry) => entry.draft.usable),
    (entry) => entry.name,
  );
  const nameIssues: Issue[] = [];
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
      if (issue !== undefined) nameIssues.push(issue);
    }
  }
  for (const entry of entries) {
    const issue = deceptiveName(entry, groups);
    if (issue !== undefined) nameIssues.push(issue);
  }
  skills.sort(compareSkills);
  Object.freeze(skills);
  const index = indexSkills(skills, families);
  return createRegistry({ skills, index, families, world, scanIssues, nameIssues, findNested });
}

/** The parts of a registry. */
export interface RegistryParts {
  readonly skills: readonly SkillRecord[];
  readonly index: NameIndex;
  readonly families: readonly Family[];
  readonly world: World;
  readonly scanIssues: readonly Issue[];
  /** Issues with the names of skills. */
  readonly nameIssues: readonly Issue[];
  readonly findNested: (parent: SkillRecord) => readonly Applicant[];
}

const parts = new WeakMap<Registry, RegistryParts>();

/** Returns the parts of a registry that `createRegistry` created. */
export function partsOf(registry: Registry): RegistryParts | undefined {
  return parts.get(registry);
}

/** Creates a registry from its parts. Takes no longer for more skills. */
export function createRegistry(given: RegistryParts): Registry {
  const { skills, index, families, world, scanIssues, nameIssues, findNested } = given;
  const nested = new Map<SkillRecord, Registry>();
  const nestedIn = (parent: Skill): Registry | undefined =>
    parent instanceof SkillRecord && hasBundle(parent)
      ? getOrCreate(nested, parent, maxParents, () => buildRegistry(findNested(parent), families, world, []))
      : undefined;
  const lookup = lookupOf(skills, index, (parent) => nestedIn(parent)?.lookup);
  let known: readonly Issue[] | undefined;
  const registry: Registry = {
    skills,
    get issues() {
      // Computed when it is first needed, because looking up names is slow.
      return (known ??= Object.freeze([
        ...scanIssues,
        ...nameIssues,
        ...skills.flatMap((skill) => skill.issues),
        ...unknownNames(skills, lookup),
        ...unknownTools(skills, lookup),
      ]));
    },
    families,
    lookup,
    nestedIn: (parent) => nestedIn(parent)?.skills ?? [],
  };
  parts.set(registry, given);
  return registry;
}

/** Compares skills by name and then by path, in code unit order. */
export function compareSkills(
  a: { readonly name: string; readonly file: string },
  b: { readonly name: string; readonly file: string },
): number {
  return compareText(a.name, b.name) || compareText(a.file, b.file);
}

const maxParents = 1000;

/**
 * Whether a skill's folder can contain nested skills. An unavailable skill also disables the skills in its
 * folder.
 */
function hasBundle({ dir, file, loose, status, codeDefinition }: SkillRecord): boolean {
  return (
    status !== 'invalid' &&
    status !== 'unavailable' &&
    !loose &&
    dir !== '' &&
    file !== '' &&
    codeDefinition === undefined
  );
}

const invalid = { status: 'invalid' } as const;

/** Checks an applicant: its name, its settings and its requirements. */
export function entryOf(applicant: Applicant, order: number, world: World): NameApplicant {
  const { origin, draft } = applicant;
  const { name, deceptive } = namedOf(applicant);
  const subject = { name, source: origin.source, requires: draft.card.requires };
  const missing = draft.usable ? whatIsMissing(subject, world) : [];
  const isDisabled = draft.usable && world.isDisabled?.({ name, file: origin.file }) === true;
  return {
    origin,
    draft: withSettings(draft, subject, origin.family, world),
    name,
    order,
    missing: isDisabled ? [...missing, disabledByProgram(name)] : missing,
    deceptive,
  };
}

function disabledByProgram(name: string): NameApplicant['missing'][number] {
  return { kind: 'disabled', name, hint: `The program has disabled the skill: skills.enable('${name}')` };
}

/** Applies the settings for a skill, which override the values in its file. */
function withSettings(draft: Draft, subject: Keyed, family: Family, { skills }: World): Draft {
  if (!draft.usable || skills.entries === undefined) return draft;
  const { configured, issues } = tryConfigured({ ...subject, card: draft.card }, family, skills);
  if (configured === undefined && issues.length === 0) return draft;
  return { ...draft, card: { ...draft.card, ...configured?.card }, issues: [...draft.issues, ...issues] };
}

type Named = Pick<NameApplicant, 'name' | 'deceptive'>;

const known = new WeakMap<Applicant, Named>();

/**
 * Returns the name of an applicant and whether it is deceptive. Cached for each applicant, so that adding a
 * skill does not compute all other names again.
 */
function namedOf(applicant: Applicant): Named {
  const before = known.get(applicant);
  if (before !== undefined) return before;
  const { origin, draft } = applicant;
  const written = draft.name === '' ? origin.stem : draft.name;
  const name = canonicalName(draft.name, origin.stem);
  const { namespace } = origin;
  const deceptive = [written, ...(namespace ?? '').split(':')]
    .map((part) => (/^[\x20-\x7e]*$/.test(part) ? undefined : whyDeceptive(part)))
    .find((why) => why !== undefined);
  const named = { name: namespace === undefined ? name : `${namespace}:${name}`, deceptive };
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
    hint: `Refer to the skill as "${qualified}", or rename it.`,
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
    message: `The name "${entry.name}" is deceptive: ${why}. This skill never replaces another skill.`,
    ...(entry.origin.file === '' ? {} : { file: entry.origin.file }),
  };
}
