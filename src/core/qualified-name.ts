import type { Skill } from './skill.ts';

/** The name of a skill with its source, which leads to this skill and no other. */
export function qualifiedName({ name, aliases, source }: Skill): string {
  return aliases.find((alias) => alias.startsWith(`${source}:`)) ?? name;
}
