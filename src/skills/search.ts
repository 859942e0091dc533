import type { Json, JsonObject } from '../core/json.ts';
import { isJsonObject } from '../core/json.ts';
import type { Skill, Source } from '../core/skill.ts';

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

/** The usable skills that a query fits, in the order given. */
export function searchSkills(skills: readonly Skill[], query: SkillQuery): readonly Skill[] {
  const words = query.query?.toLowerCase();
  const fits = (skill: Skill): boolean =>
    (query.family === undefined || skill.family === query.family) &&
    (query.source === undefined || skill.source === query.source) &&
    (query.metadata === undefined || hasMetadata(skill.card.metadata, query.metadata)) &&
    (words === undefined || textsOf(skill).some((text) => text.toLowerCase().includes(words)));
  const found = skills.filter((skill) => (skill.status === 'ready' || skill.status === 'unavailable') && fits(skill));
  return query.limit === undefined ? found : found.slice(0, query.limit);
}

function textsOf(skill: Skill): readonly string[] {
  const { description, whenToUse, metadata } = skill.card;
  return [skill.name, description, whenToUse ?? '', ...valuesIn(metadata)];
}

function valuesIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesIn(item as Json));
  if (isJsonObject(value)) return Object.values(value).flatMap((item) => valuesIn(item));
  return value === undefined || value === null ? [] : [String(value)];
}

function hasMetadata(metadata: JsonObject | undefined, wanted: Readonly<Record<string, Json>>): boolean {
  return Object.entries(wanted).every(([key, value]) => metadata !== undefined && Object.hasOwn(metadata, key) && metadata[key] === value);
}
