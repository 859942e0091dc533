import { isDeepStrictEqual } from 'node:util';
import type { Json, Skill, SkillCard, Source } from '../../core/index.ts';
import { searchableOf } from './fields.ts';
import { Ranker } from './ranker.ts';

/** A search for skills. A skill must match all properties that are set. */
export interface SkillQuery {
  /** Text to find in the name, description, `when-to-use` text, tags or metadata. Ignores case. */
  readonly query?: string;
  /** Metadata values that must match exactly. */
  readonly metadata?: Readonly<Record<string, Json>>;
  readonly family?: string;
  readonly source?: Source;
  readonly limit?: number;
}

/**
 * Returns the ready and unavailable skills that match. For a text query, the best match comes first.
 * Otherwise, keeps the given order.
 */
export function searchSkills(skills: readonly Skill[], query: SkillQuery): readonly Skill[] {
  const phrase = query.query?.toLowerCase() ?? '';
  const found = skills.filter(
    (skill) =>
      (skill.status === 'ready' || skill.status === 'unavailable') &&
      (query.family === undefined || skill.family === query.family) &&
      (query.source === undefined || skill.source === query.source) &&
      hasMetadata(skill.card, query.metadata ?? {}) &&
      (phrase === '' || textsOf(skill).some((text) => text.toLowerCase().includes(phrase))),
  );
  const ordered = phrase === '' ? found : bestFirst(skills, found, phrase);
  return query.limit === undefined ? ordered : ordered.slice(0, Math.max(0, query.limit));
}

/** Sorts skills by rank without reading files. Skills without a rank come last, in the given order. */
function bestFirst(all: readonly Skill[], found: readonly Skill[], phrase: string): readonly Skill[] {
  const { ranker, keys } = indexOf(all);
  const foundKeys = new Set(found.map((skill) => keys.get(skill)));
  const { ranked } = ranker.rank(phrase, { limit: found.length, among: (key) => foundKeys.has(key) });
  const positions = new Map(ranked.map(({ key }, position) => [key, position]));
  const positionOf = (skill: Skill): number => positions.get(keys.get(skill) ?? '') ?? found.length;
  return found.toSorted((a, b) => positionOf(a) - positionOf(b));
}

interface Index {
  readonly ranker: Ranker;
  readonly keys: ReadonlyMap<Skill, string>;
}

const indexes = new WeakMap<readonly Skill[], Index>();

/** Returns the search index of a registry. The first text search builds it. */
function indexOf(skills: readonly Skill[]): Index {
  const known = indexes.get(skills);
  if (known !== undefined) return known;
  const index = { ranker: new Ranker(), keys: new Map(skills.map((skill, at) => [skill, `${at}`])) };
  for (const [skill, key] of index.keys) index.ranker.add(key, searchableOf(skill, ''));
  indexes.set(skills, index);
  return index;
}

function textsOf({ name, card }: Skill): readonly string[] {
  const { description, whenToUse = '', tags = [], metadata = null } = card;
  return [name, description, whenToUse, ...tags, ...valuesIn(metadata)];
}

function valuesIn(value: Json): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'object') return Object.values(value).flatMap((item: Json) => valuesIn(item));
  return [String(value)];
}

function hasMetadata({ metadata = {} }: SkillCard, expected: Readonly<Record<string, Json>>): boolean {
  return Object.entries(expected).every(
    ([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value),
  );
}
