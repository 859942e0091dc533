import type { Skill } from '../core/skill.ts';
import type { Registry } from '../skills/registry.ts';

/**
 * The names by which lists speak of a skill: those that lead to it and to no other. What it calls itself and its folder
 * is its own affair; one whose name another skill has goes by its qualified names alone.
 */
export function knownAs(
  registry: Registry,
  skill: Skill,
): { readonly skill: string; readonly aliases: readonly string[] } {
  const aliases = skill.aliases.filter((name) => registry.lookup.find(name) === skill);
  return { skill: reachedAs(registry, skill), aliases };
}

/** The shortest name that leads to a skill and to no other. */
export function reachedAs({ lookup }: Registry, skill: Skill): string {
  if (lookup.find(skill.name) === skill) return skill.name;
  return skill.aliases.find((name) => lookup.find(name) === skill) ?? skill.name;
}
