import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { hashOf } from '../json/normalize.ts';
import type { SkillCard } from '../skill.ts';

const longest = 64;

/**
 * Returns a unique tool name for each skill. A tool name consists of at most 64 ASCII letters, digits,
 * hyphens and underscores, and does not start with a digit or hyphen, so every provider accepts it. A skill
 * whose name is already a valid tool name keeps it. If several skills have the same name, only the first one
 * keeps it.
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

/** Shortens a slug and appends a hash of the skill's full name. */
function tagged(slug: string, skill: string, attempt = 0): string {
  const hash = hashOf([skill, attempt]).slice(0, 8);
  return `${slug.slice(0, longest - hash.length - 1).replace(/-+$/, '')}-${hash}`;
}

/** Returns a slug with a hash suffix that makes it different from all tool names in use. */
function untaken(slug: string, skill: string, taken: ReadonlySet<string>): string {
  let attempt = 0;
  while (taken.has(tagged(slug, skill, attempt))) attempt += 1;
  return tagged(slug, skill, attempt);
}

/** A tool's input schema, and the conversion of the tool's input to its skill's input. */
interface ToolInput {
  /** The JSON Schema of the tool's input, which is always an object. */
  readonly schema: JsonObject;
  /** Extracts the skill's input from the tool's input. */
  given(input: Json): Json;
}

/**
 * Maps a skill's input to a tool's input. Tools only accept objects, so any other input becomes the `input`
 * property of an object.
 */
export function toolInput({ input }: SkillCard): ToolInput {
  if (input?.['type'] === 'object') return { schema: input, given: (given) => given };
  return { schema: wrapped(input), given: unwrapped };
}

/** Returns a tool's description: what its skill does and when to use it. */
export function toolDescription({ description, whenToUse }: SkillCard): string {
  return whenToUse === undefined ? description : `${description}\n${whenToUse}`;
}

function wrapped(schema: JsonObject | undefined): JsonObject {
  const input = schema ?? {
    type: 'string',
    description: 'Text that says what the skill should do, or the arguments for the skill.',
  };
  return { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
}

function unwrapped(given: Json): Json {
  return isJsonObject(given) && Object.hasOwn(given, 'input') ? (given['input'] ?? null) : given;
}
