import { isDeepStrictEqual } from 'node:util';
import type { Json, Skill, SkillCard, Source } from '../../core/index.ts';
import { searchableOf } from './fields.ts';
import { Ranker } from './ranker.ts';

/** What to look for; every given part must hold. */
export interface SkillQuery {
  /** Part of the name, the description, when-to-use, a tag or a metadata value, without case. */
  readonly query?: string;
  /** Metadata values that must match exactly. */
  readonly metadata?: Readonly<Record<string, Json>>;
  readonly family?: string;
  readonly source?: Source;
  readonly limit?: number;
}

/** The skills with a name of their own that a query fits: best first where words are looked for, else in the order given. */
export function searchSkills(skills: readonly Skill[], query: SkillQuery): readonly Skill[] {
  const words = query.query?.toLowerCase() ?? '';
  const found = skills.filter(
    (skill) =>
      (skill.status === 'ready' || skill.status === 'unavailable') &&
      (query.family === undefined || skill.family === query.family) &&
      (query.source === undefined || skill.source === query.source) &&
      hasMetadata(skill.card, query.metadata ?? {}) &&
      (words === '' || textsOf(skill).some((text) => text.toLowerCase().includes(words))),
  );
  const ordered = words === '' ? found : bestFirst(skills, found, words);
  return query.limit === undefined ? ordered : ordered.slice(0, Math.max(0, query.limit));
}

/** Ranks by what is in memory of the skills; those whose words only contain what was looked for keep their order. */
function bestFirst(all: readonly Skill[], found: readonly Skill[], words: string): readonly Skill[] {
  const { ranker, keys } = indexOf(all);
  const wanted = new Set(found.map((skill) => keys.get(skill)));
  const { ranked } = ranker.rank(words, { limit: found.length, among: (key) => wanted.has(key) });
  const places = new Map(ranked.map(({ key }, place) => [key, place]));
  const placeOf = (skill: Skill): number => places.get(keys.get(skill) ?? '') ?? found.length;
  return found.toSorted((a, b) => placeOf(a) - placeOf(b));
}

interface Index {
  readonly ranker: Ranker;
  readonly keys: ReadonlyMap<Skill, string>;
}

const indexes = new WeakMap<readonly Skill[], Index>();

/** Made once for a registry, when words are first looked for. */
function indexOf(skills: readonly Skill[]): Index {
  const known = indexes.get(skills);
  if (known !== undefined) return known;
  const made = { ranker: new Ranker(), keys: new Map(skills.map((skill, at) => [skill, `${at}`])) };
  for (const [skill, key] of made.keys) made.ranker.add(key, searchableOf(skill, ''));
  indexes.set(skills, made);
  return made;
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

function hasMetadata({ metadata = {} }: SkillCard, wanted: Readonly<Record<string, Json>>): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value),
  );
}
