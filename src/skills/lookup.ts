import { AgentError } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import { nearestNames, normaliseName } from '../core/names.ts';
import type { Skill } from '../core/skill.ts';

/** Finds skills by any of their names. */
export interface Lookup {
  /** The skill a name stands for, shadowed ones by their qualified names; undefined when there is none. */
  find(name: string): Skill | undefined;
  /** Like `find`, but throws `skill.not-found` with the nearest names. */
  resolve(name: string): Skill;
  /** The nearest names to a word that finds nothing. */
  near(name: string): readonly string[];
}

/** A look-up over the skills of one registry; its index is made when the first name is not a canonical one. */
export function lookupOf(skills: readonly Skill[], families: readonly Family[]): Lookup {
  const rank = new Map(families.map((family, index) => [family.id, index]));
  const byName = lazy(() => indexNames(skills, rank));
  const byAlias = lazy(() => indexAliases(skills, rank));
  const find = (name: string): Skill | undefined => {
    const wanted = normaliseQualified(name);
    return wanted === '' ? undefined : (byName().get(wanted) ?? byAlias().get(wanted));
  };
  const near = (name: string): readonly string[] => nearestNames(normaliseQualified(name), byName().keys());
  return {
    find,
    near,
    resolve(name) {
      const skill = find(name);
      if (skill !== undefined) return skill;
      const names = near(name);
      throw new AgentError('skill.not-found', `There is no skill "${name}".`, {
        hint: names.length === 0 ? 'List the skills that there are.' : `Did you mean ${names.map((other) => `"${other}"`).join(' or ')}?`,
        details: { near: [...names] },
      });
    },
  };
}

/** Names are normalised part by part: `:` and `/` separate source and group from the name. */
export function normaliseQualified(name: string): string {
  const colon = name.indexOf(':');
  if (colon > 0) return `${normaliseName(name.slice(0, colon))}:${normaliseName(name.slice(colon + 1))}`;
  if (!name.includes('/')) return normaliseName(name);
  const parts = name.split('/').map((part) => normaliseName(part));
  return parts.includes('') ? '' : parts.join('/');
}

function indexNames(skills: readonly Skill[], rank: ReadonlyMap<string, number>): ReadonlyMap<string, Skill> {
  const index = new Map<string, Skill>();
  for (const skill of skills) {
    if (skill.status !== 'ready' && skill.status !== 'unavailable') continue;
    const before = index.get(skill.name);
    if (before === undefined || isBetter(skill, before, rank)) index.set(skill.name, skill);
  }
  return index;
}

/** A usable skill before one that lacks something, then the order of families. */
function isBetter(skill: Skill, before: Skill, rank: ReadonlyMap<string, number>): boolean {
  if (skill.status !== before.status) return skill.status === 'ready';
  return (rank.get(skill.family) ?? 0) < (rank.get(before.family) ?? 0);
}

function indexAliases(skills: readonly Skill[], rank: ReadonlyMap<string, number>): ReadonlyMap<string, Skill> {
  const index = new Map<string, Skill>();
  const usable = skills.filter((skill) => skill.status !== 'invalid');
  const order = usable.toSorted((a, b) => Number(a.status === 'shadowed') - Number(b.status === 'shadowed') || (rank.get(a.family) ?? 0) - (rank.get(b.family) ?? 0));
  for (const skill of order) {
    for (const alias of skill.aliases) {
      const key = normaliseQualified(alias);
      const qualified = key.includes(':') || key.includes('/');
      if (key === '' || index.has(key) || (skill.status === 'shadowed' && !qualified)) continue;
      index.set(key, skill);
    }
  }
  return index;
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
