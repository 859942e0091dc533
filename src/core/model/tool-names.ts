import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { hashOf } from '../json/normalize.ts';
import type { SkillCard } from '../skill.ts';

const longest = 64;

/**
 * A name for each skill that every provider takes: ASCII letters, digits, hyphens and underscores, no digit or hyphen
 * first, at most 64, and no two alike. A name that is one already stays as it is, and is the first one's.
 */
export function toolNames(skills: readonly string[]): readonly string[] {
  const slugs = skills.map(slugOf);
  const taken = new Set(skills.filter((skill, index) => slugs[index] === skill));
  const counts = new Map<string, number>();
  for (const slug of slugs) counts.set(slug, (counts.get(slug) ?? 0) + 1);
  const given = new Set<string>();
  return skills.map((skill, index) => {
    const slug = slugs[index] ?? '';
    const isFirst = !given.has(skill);
    given.add(skill);
    if (slug === skill && isFirst) return skill;
    const name = counts.get(slug) === 1 && !taken.has(slug) ? slug : untaken(slug, skill, taken);
    taken.add(name);
    return name;
  });
}

function slugOf(skill: string): string {
  const plain = skill
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const slug = /^[a-zA-Z_]/.test(plain) ? plain : `skill-${plain}`;
  return plain === '' || slug.length > longest ? tagged(slug, skill) : slug;
}

/** The beginning of a slug and a hash of the whole name. */
function tagged(slug: string, skill: string, attempt = 0): string {
  const hash = hashOf([skill, attempt]).slice(0, 8);
  return `${slug.slice(0, longest - hash.length - 1).replace(/-+$/, '')}-${hash}`;
}

/** A tagged slug that no skill has for its own name. */
function untaken(slug: string, skill: string, taken: ReadonlySet<string>): string {
  let attempt = 0;
  while (taken.has(tagged(slug, skill, attempt))) attempt += 1;
  return tagged(slug, skill, attempt);
}

/** What a skill is given when it is called as a tool. */
interface ToolInput {
  /** JSON Schema of an object. */
  readonly schema: JsonObject;
  /** The input of the skill in what the tool was called with. */
  given(input: Json): Json;
}

/** Tools take objects; what a skill takes that is none is the member `input` of one. */
export function toolInput({ input }: SkillCard): ToolInput {
  if (input?.['type'] === 'object') return { schema: input, given: (given) => given };
  return { schema: wrapped(input), given: unwrapped };
}

/** What a skill is for and when to use it, for whoever chooses between tools. */
export function toolDescription({ description, whenToUse }: SkillCard): string {
  return whenToUse === undefined ? description : `${description}\n${whenToUse}`;
}

function wrapped(schema: JsonObject | undefined): JsonObject {
  const input = schema ?? {
    type: 'string',
    description: 'What the skill is to do, in words, or its arguments.',
  };
  return { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
}

function unwrapped(given: Json): Json {
  return isJsonObject(given) && Object.hasOwn(given, 'input') ? (given['input'] ?? null) : given;
}
