import type { Scope } from '../../core/scope.ts';
import type { Skill } from '../../core/skill.ts';

/** The skills that a list gives to one stage of an orchestrator; undefined without a list: all that may be called. */
export function skillsOf(list: readonly string[] | undefined, scope: Scope): readonly Skill[] | undefined {
  if (list === undefined) return undefined;
  const found = new Set(list.map((name) => scope.lookUp(name)).filter((skill) => skill !== undefined));
  if (scope.skill.card.allowedSkills === undefined) return [...found]; // the list is that of the preparation alone
  return scope.callable.filter((skill) => found.has(skill));
}
