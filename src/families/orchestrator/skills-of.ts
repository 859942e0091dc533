import type { Scope } from '../../core/scope.ts';
import type { Skill } from '../../core/skill.ts';

/** The skills that a list gives to one stage of an orchestrator; undefined without a list: all that may be called. */
export function skillsOf(list: readonly string[] | undefined, scope: Scope): readonly Skill[] | undefined {
  if (list === undefined) return undefined;
  const found = new Map(list.map((name) => [name, scope.lookUp(name)]));
  const missing = list.filter((name) => found.get(name) === undefined);
  if (missing.length > 0)
    scope.note(`The list of "${scope.skill.name}" names no skill with ${missing.join(', ')}.`);
  const skills = new Set([...found.values()].filter((skill) => skill !== undefined));
  if (scope.skill.card.allowedSkills === undefined) return [...skills]; // the list is that of the preparation alone
  return scope.callable.filter((skill) => skills.has(skill));
}
