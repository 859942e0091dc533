import { allowsTool, isSkillRule, namesTool } from '../core/match-rules.ts';
import { parseRule, type Rule } from '../core/rule.ts';
import type { Skill } from '../core/skill.ts';
import { cardOf } from '../skills/catalog/offered.ts';
import type { Registry } from '../skills/registry.ts';
import { actOf } from './lets-use.ts';
import { namesFrom } from './names-from.ts';

const readings = { allow: allowsTool, forbid: namesTool };

/** How rules are read, which differs for those that allow and those that forbid. */
export type Reading = keyof typeof readings;

/** The skills, of those that count, which lists of rules mean; each rule and each list is looked at once. */
export function meantAmong(
  registry: Registry,
  all: ReadonlySet<Skill>,
): (rules: readonly string[], reading: Reading) => ReadonlySet<Skill> {
  const tools = [...all].filter((skill) => cardOf(skill).label !== undefined);
  const startingWith = namesFrom(all, (skill) => {
    const { skill: name, aliases } = actOf(registry, skill);
    return [name, ...aliases];
  });
  const byRule = new Map<string, readonly Skill[]>();
  const byList = new Map<string, ReadonlySet<Skill>>();

  const candidates = ({ tool, spec }: Rule): readonly Skill[] => {
    if (!isSkillRule(tool)) return tools;
    if (spec === undefined) return [...all];
    if (spec.includes('*')) return startingWith(spec.slice(0, spec.indexOf('*')));
    const found = registry.lookup.find(spec);
    return found !== undefined && all.has(found) ? [found] : [];
  };
  const meantBy = (text: string, reading: Reading): readonly Skill[] => {
    const rule = parseRule(text);
    if (rule === undefined) return [];
    const word = isSkillRule(rule.tool) ? `(${rule.spec ?? '*'})` : rule.tool.toLowerCase();
    return remembered(byRule, `${reading} ${word}`, () =>
      candidates(rule).filter((skill) => readings[reading](rule, actOf(registry, skill))),
    );
  };
  return (rules, reading) =>
    remembered(
      byList,
      `${reading} ${JSON.stringify(rules)}`,
      () => new Set(rules.flatMap((rule) => meantBy(rule, reading))),
    );
}

/** Whether a rule means skills by a pattern, or all of a kind, and not by their names. */
export function isOpenRule(text: string): boolean {
  const { tool = '', spec } = parseRule(text) ?? {};
  if (isSkillRule(tool)) return spec === undefined || spec.includes('*');
  return tool.includes('*');
}

function remembered<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
