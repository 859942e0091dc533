import { meansWhole } from '../core/match-rules.ts';
import { optional } from '../core/optional.ts';
import { parseRule } from '../core/rule.ts';
import type { Skill } from '../core/skill.ts';
import { cardOf } from '../skills/catalog/offered.ts';
import type { Registry } from '../skills/registry.ts';
import { mayBeChosen, skillsNamed } from './callable.ts';
import { letsUse } from './lets-use.ts';
import { isOpenRule, meantAmong } from './meant-skills.ts';
import { ownList } from './tool-lists.ts';

/** What a skill may call when a person calls it: some by name, and perhaps a group. */
export interface Reach {
  readonly named: readonly Skill[];
  /** Names on its list that lead to no skill. */
  readonly missing: readonly string[];
  readonly group?: SkillGroup;
}

/** Skills that are meant without being named. */
export interface SkillGroup {
  /** The rules that mean them, as written; absent for every other skill. */
  readonly rules?: readonly string[];
  /** The rules that take some away, as written. */
  readonly except?: readonly string[];
  /** How many they are, without those that are named as well. */
  readonly count: number;
  has(skill: Skill): boolean;
}

/**
 * Tells of each skill what it may call, by the lists that `callableIn` reads; skills for certain files count as if one
 * had been touched. What a group comes to is worked out once for all skills with the same lists.
 */
export function reachIn(registry: Registry): (caller: Skill) => Reach {
  const groupOf = groupsIn(registry);
  return (caller) => {
    const { allowedSkills } = cardOf(caller);
    if (allowedSkills === undefined) return { ...groupOf(caller), missing: [] };
    const list = ownList(caller);
    return {
      named: skillsNamed(registry, allowedSkills).filter((skill) => letsUse(registry, list, skill)),
      missing: [...new Set(allowedSkills)].filter((name) => registry.lookup.find(name) === undefined),
    };
  };
}

/** Of a skill without a list of skills: what its rules for tools name, and the rest of what they leave. */
function groupsIn(registry: Registry): (caller: Skill) => Pick<Reach, 'named' | 'group'> {
  const all = new Set<Skill>(registry.skills.filter(mayBeChosen));
  const byName = Map.groupBy(all, ({ name }) => name);
  const meant = meantAmong(registry, all);
  const sizes = new Map<string, number>();
  return (caller) => {
    const { allowed, disallowed = [] } = ownList(caller);
    const { rules, names = [] } = Object.groupBy(allowed ?? [], (rule) =>
      isOpenRule(rule) ? 'rules' : 'names',
    );
    const except = disallowed.filter(meansAll);
    const taken = meant(except, 'forbid');
    const isLeft = (skill: Skill): boolean => skill.name !== caller.name && !taken.has(skill);
    const direct = new Set([...meant(names, 'allow')].filter(isLeft));
    const named = [...direct];
    if (allowed !== undefined && rules === undefined) return { named };
    const base = rules === undefined ? all : meant(rules, 'allow');
    const key = JSON.stringify([rules ?? null, except]);
    const size = sizes.get(key) ?? base.size - [...taken].filter((skill) => base.has(skill)).length;
    sizes.set(key, size);
    const itself = (byName.get(caller.name) ?? []).filter((skill) => !taken.has(skill));
    const counted = [...named, ...itself].filter((skill) => base.has(skill)).length;
    return {
      named,
      group: {
        ...optional('rules', rules),
        ...optional('except', except.length === 0 ? undefined : except),
        count: size - counted,
        has: (skill) => base.has(skill) && isLeft(skill) && !direct.has(skill),
      },
    };
  };
}

function meansAll(text: string): boolean {
  const rule = parseRule(text);
  return rule !== undefined && meansWhole(rule);
}
