import type { Json } from '../json.ts';
import { matchesWildcard, normaliseName } from '../names.ts';
import type { Parts, Permission } from '../policy.ts';

/** A call as rules see it. */
export interface Act {
  readonly skill: string;
  readonly aliases: readonly string[];
  readonly permission: Permission;
  readonly input: Json;
  readonly workspace: string | undefined;
}

const nothingKnown: Parts = { parts: [], areAll: true };

/** A rule that means the call or any part of it, or what these could touch: how rules that forbid are read. */
export function ruleAgainst(rules: readonly Rule[], act: Act): Rule | undefined {
  const named = rules.filter((rule) => namesTool(rule, act));
  const whole = named.find(meansWhole);
  if (whole !== undefined || named.length === 0) return whole;
  const { parts, suspected = [], isUnread } = partsOf(act) ?? nothingKnown;
  if (isUnread === true) return named[0];
  const inputs = [act.input, ...parts, ...suspected];
  const { matches, mayTouch = matches } = act.permission;
  return named.find((rule) => inputs.some((input) => means(rule, act, input, mayTouch)));
}

/** Whether rules together mean all that the call does: how rules that allow are read. */
export function rulesCover(rules: readonly Rule[], act: Act): boolean {
  const named = rules.filter((rule) => allowsTool(rule, act));
  if (named.length === 0 || named.some(meansWhole)) return named.length > 0;
  const { parts, areAll } = partsOf(act) ?? { parts: [act.input], areAll: true };
  const { matches } = act.permission;
  return (
    areAll && parts.length > 0 && parts.every((part) => named.some((rule) => means(rule, act, part, matches)))
  );
}

/**
 * Whether a rule speaks of a skill at all, whatever its input. `Skill(x)` names the skill x, and with a `*` in it every
 * such skill that has no word of its own; any other rule names only skills that have one, by it or by their names.
 */
export function namesTool({ tool, spec }: Rule, { skill, aliases, permission: { label } }: Act): boolean {
  const names = [skill, ...aliases];
  if (isSkillRule(tool)) {
    if (spec === undefined) return label === undefined;
    return names.some((name) => isNamed(name, spec)) || (label === undefined && areLike(names, spec));
  }
  return label !== undefined && areLike([label, ...names], tool);
}

/** The same for rules that allow: a tool by its own word alone, since anybody can give a tool of theirs the name of another, and a server that of a skill. Servers tell their tools apart by case. */
export function allowsTool(rule: Rule, act: Act): boolean {
  const { label, pin } = act.permission;
  if (isSkillRule(rule.tool)) return pin === undefined && namesTool(rule, act);
  if (pin !== undefined) return label !== undefined && matchesWildcard(rule.tool, label);
  return label !== undefined && areLike([label], rule.tool);
}

function partsOf({ permission, input, workspace }: Act): Parts | undefined {
  return permission.parts?.(input, workspace ?? '');
}

function means(
  { spec }: Rule,
  { workspace }: Act,
  input: Json,
  isMeant: Permission['matches' | 'mayTouch'],
): boolean {
  return spec !== undefined && isMeant?.(spec, input, workspace ?? '') === true;
}

/** Whether a rule speaks of all that a skill it names does. */
export function meansWhole({ tool, spec }: Rule): boolean {
  return spec === undefined || isSkillRule(tool);
}

/** Whether the tool of a rule stands for skills, which are then named in its brackets. */
export function isSkillRule(tool: string): boolean {
  return tool.toLowerCase() === 'skill';
}

function isNamed(name: string, wanted: string): boolean {
  return name === wanted || (!wanted.includes('*') && canonical(name) === canonical(wanted));
}

/** Part by part: `team/deploy` is not `team-deploy`. */
function canonical(name: string): string {
  return name
    .split(/([:/])/)
    .map((part) => (/^[:/]$/.test(part) ? part : normaliseName(part)))
    .join('');
}

/** Without regard to case. */
function areLike(names: readonly string[], pattern: string): boolean {
  return names.some((name) => matchesWildcard(pattern.toLowerCase(), name.toLowerCase()));
}

/** A permission rule taken apart: `Tool`, `Tool(spec)`, or `Skill(name)` for a skill that is no tool. */
export interface Rule {
  /** As written, compared without case; `*` in it stands for any characters. */
  readonly tool: string;
  /** What stands between the brackets; absent when the whole tool is meant. */
  readonly spec?: string;
}

/** Reads a rule; undefined for what is none. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, brackets] = /^([\w.*-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined || !/[\w*]/.test(tool) || /\p{Cc}/u.test(text.trim().replace(/\t/g, ' ')))
    return undefined;
  const spec = brackets?.trim();
  if (spec === '') return undefined;
  return spec === undefined || spec === '*' ? { tool } : { tool, spec };
}

const known = new WeakMap<readonly string[], readonly Rule[]>();

/** The rules of a list, read once for each list; what is no rule means nothing. */
export function parseRules(texts: readonly string[]): readonly Rule[] {
  const before = known.get(texts);
  if (before !== undefined) return before;
  const rules = texts.map(parseRule).filter((rule) => rule !== undefined);
  known.set(texts, rules);
  return rules;
}
