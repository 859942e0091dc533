import { allowsTool, meansWhole, namesTool, type Act } from '../core/match-rules.ts';
import { optional } from '../core/optional.ts';
import { parseRules } from '../core/rule.ts';
import type { Skill } from '../core/skill.ts';
import { cardOf } from '../skills/catalog/offered.ts';
import type { Registry } from '../skills/registry.ts';
import { knownAs } from './known-as.ts';
import type { ToolList } from './tool-lists.ts';

const nothing: readonly string[] = [];

/** Whether lists of tools let a skill be used at all; what exactly may be done with it is seen when it is called. */
export function letsUse(
  registry: Registry,
  { allowed, disallowed = nothing }: ToolList,
  skill: Skill,
): boolean {
  const act = actOf(registry, skill);
  if (parseRules(disallowed).some((rule) => meansWhole(rule) && namesTool(rule, act))) return false;
  return allowed === undefined || parseRules(allowed).some((rule) => allowsTool(rule, act));
}

const acts = new WeakMap<Skill, Act>();

/** A call of a skill as far as lists can tell before there is one. */
export function actOf(registry: Registry, skill: Skill): Act {
  const act = acts.get(skill) ?? {
    ...knownAs(registry, skill),
    ...{ input: null, workspace: undefined },
    permission: optional('label', cardOf(skill).label),
  };
  acts.set(skill, act);
  return act;
}
