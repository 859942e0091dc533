import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../core/json.ts';
import type { Skill, SkillCard, Source } from '../core/skill.ts';
import { searchableOf } from './rank/fields.ts';
import { Ranker } from './rank/ranker.ts';

/** What to look for; every given part must hold. */
export interface SkillQuery {
  /** Part of the name, the description, when-to-use or a metadata value, without case. */
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
  const ordered = words === '' ? found : bestFirst(found, words);
  return query.limit === undefined ? ordered : ordered.slice(0, Math.max(0, query.limit));
}

/** Ranks by what is in memory of the skills; those whose words only contain what was looked for keep their order. */
function bestFirst(skills: readonly Skill[], words: string): readonly Skill[] {
  const ranker = new Ranker();
  for (const [index, skill] of skills.entries()) ranker.add(`${index}`, searchableOf(skill, ''));
  const { ranked } = ranker.rank(words, { limit: skills.length });
  const places = new Map(ranked.map(({ key }, place) => [key, place]));
  const placeOf = (index: number): number => places.get(`${index}`) ?? skills.length;
  return skills
    .map((skill, index) => ({ skill, place: placeOf(index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ skill }) => skill);
}

function textsOf({ name, card }: Skill): readonly string[] {
  return [name, card.description, card.whenToUse ?? '', ...valuesIn(card.metadata ?? null)];
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
