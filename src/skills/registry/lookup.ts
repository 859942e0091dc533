import { hash } from 'node:crypto';
import {
  AgentError,
  lazy,
  nearHint,
  nearestNames,
  normaliseName,
  sources,
  type Family,
  type Skill,
} from '../../core/index.ts';
import type { SkillRecord } from './record.ts';

/** A lookup of skills by any of their names. */
export interface Lookup {
  /**
   * Returns the skill with this name, or undefined. A shadowed skill can be found only by its qualified
   * names.
   */
  find(name: string): Skill | undefined;
  /** Like `find`, but throws `skill.not-found` with the nearest names. */
  resolve(name: string): Skill;
  /** Returns the known names that are most similar to an unknown name. */
  near(name: string): readonly string[];
}

/** The skills of a registry by their normalised names, except nested skills. */
export interface NameIndex {
  find(name: string): Skill | undefined;
  /** Returns the names without a qualifier of all callable skills. */
  names(): Iterable<string>;
}

/** Indexes skills by their names when the first name is needed. */
export function indexSkills(skills: readonly SkillRecord[], families: readonly Family[]): NameIndex {
  const rank = new Map(families.map((family, index) => [family.id, index]));
  const preference = byPreference(rank);
  const usable = lazy(() => skills.filter((skill) => skill.status !== 'invalid').sort(preference));
  const byName = lazy(() => indexNames(skills, preference));
  const byQualifiedName = lazy(() => indexQualifiedNames(usable()));
  const byOtherName = lazy(() => indexOtherNames(usable()));
  return {
    find: (name) => byName().get(name) ?? byQualifiedName().get(name) ?? byOtherName().get(name),
    names: () => byName().keys(),
  };
}

/** Creates an index in which some skills are replaced by versions with the same names and status. */
export function withVersions(index: NameIndex, versions: ReadonlyMap<Skill, Skill>): NameIndex {
  return {
    find(name) {
      const skill = index.find(name);
      return skill && (versions.get(skill) ?? skill);
    },
    names: () => index.names(),
  };
}

/**
 * Creates a lookup for the skills of a registry. `nestedIn` returns the lookup for the skills in the bundle of a
 * skill.
 */
export function lookupOf(
  skills: readonly SkillRecord[],
  index: NameIndex,
  nestedIn: (parent: Skill) => Lookup | undefined = () => undefined,
): Lookup {
  const find = (name: string, depth = 0): Skill | undefined => {
    if (isPath(name)) return undefined;
    const normalised = normaliseQualified(name);
    return index.find(normalised) ?? (depth < maxNesting ? findNested(normalised, depth) : undefined);
  };
  const findNested = (name: string, depth: number): Skill | undefined => {
    const at = name.lastIndexOf(':');
    const parent = at < 0 ? undefined : find(name.slice(0, at), depth + 1);
    return parent && nestedIn(parent)?.find(`${parent.name}${name.slice(at)}`);
  };
  const near = (name: string): readonly string[] =>
    nearestNames(normaliseName(name.slice(lastSeparator(name) + 1)), index.names());
  return {
    find: (name) => find(name),
    near,
    resolve(name) {
      const skill = find(name);
      if (skill !== undefined) return skill;
      const names = near(name);
      const unusable = skills.find(
        (other) => other.status === 'invalid' && other.name === normaliseQualified(name),
      );
      throw new AgentError('skill.not-found', `There is no skill "${name}".`, {
        hint: hintFor(names, unusable),
        details: { near: [...names], ...(unusable === undefined ? {} : { file: unusable.file }) },
      });
    },
  };
}

const maxNesting = 20; // The maximum depth of nested bundles. A name from a model can have many colons.

/**
 * Normalises each segment of a name. Segments are separated by `:` or `/`. Returns an empty string if a
 * segment is empty.
 */
function normaliseQualified(name: string): string {
  if (!/[:/]/.test(name)) return canonicalName(name, '');
  const parts = name.split(/([:/])/).map((part, index) => (index % 2 === 1 ? part : normaliseName(part)));
  return parts.includes('') ? '' : parts.join('');
}

function lastSeparator(name: string): number {
  return Math.max(name.lastIndexOf(':'), name.lastIndexOf('/'));
}

/** Whether text is a file system path, which is never a skill name. */
function isPath(name: string): boolean {
  return name.includes('\0') || /^[\\/]|(?:^|[\\/])\.{1,2}(?:[\\/]|$)/.test(name);
}

function hintFor(near: readonly string[], unusable: Skill | undefined): string {
  if (unusable !== undefined) return `${unusable.file} cannot be used; validate it to see its issues.`;
  return nearHint(near) ?? 'List the available skills.';
}

const statuses = ['ready', 'unavailable', 'shadowed', 'invalid'];

/**
 * Compares skills by status (ready first), then by name (honest before deceptive), and then by family and
 * source.
 */
function byPreference(rank: ReadonlyMap<string, number>): Preference {
  const familyRank = (skill: SkillRecord): number => rank.get(skill.family) ?? rank.size;
  return (a, b) =>
    statuses.indexOf(a.status) - statuses.indexOf(b.status) ||
    Number(a.deceptive) - Number(b.deceptive) ||
    familyRank(a) - familyRank(b) ||
    sources.indexOf(a.source) - sources.indexOf(b.source);
}

type Preference = (a: SkillRecord, b: SkillRecord) => number;

function indexNames(skills: readonly SkillRecord[], preference: Preference): ReadonlyMap<string, Skill> {
  const index = new Map<string, SkillRecord>();
  for (const skill of skills) {
    if (skill.status !== 'ready' && skill.status !== 'unavailable') continue;
    const before = index.get(skill.name);
    if (before === undefined || preference(skill, before) < 0) index.set(skill.name, skill);
  }
  return index;
}

function indexQualifiedNames(skills: readonly SkillRecord[]): ReadonlyMap<string, Skill> {
  return new Map(
    skills.flatMap((skill) => skill.qualifiedNames.map((name): [string, Skill] => [name, skill])),
  );
}

/** Indexes the `otherNames` of each skill. Omits names with the prefix of a source, which are reserved. */
function indexOtherNames(skills: readonly SkillRecord[]): ReadonlyMap<string, Skill> {
  const index = new Map<string, Skill>();
  for (const skill of skills) {
    for (const name of skill.otherNames) {
      const key = name === '' ? '' : normaliseQualified(name);
      const isReserved = key.includes(':') && sources.some((source) => key.startsWith(`${source}:`));
      if (key !== '' && !isReserved && !index.has(key)) index.set(key, skill);
    }
  }
  return index;
}

/**
 * Returns the canonical name of a skill. It is derived from the declared name, or else from the name of the
 * folder or file, or else from a hash of that text.
 */
export function canonicalName(declared: string, stem: string): string {
  const name = normaliseName(declared);
  if (name !== '') return name;
  return normaliseName(stem) || `skill-${hash('sha256', declared || stem).slice(0, 8)}`;
}
