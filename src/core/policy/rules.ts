import type { Json } from '../json.ts';
import { matchesWildcard, normaliseName } from '../names.ts';
import type { InputParts, Permission } from '../policy.ts';

/** The properties of a call that rules are matched against. */
export interface Act {
  readonly skill: string;
  readonly aliases: readonly string[];
  readonly permission: Permission;
  readonly input: Json;
  readonly workspace: string | undefined;
}

const nothingKnown: InputParts = { parts: [], areAll: true };

/**
 * Returns the first rule that matches the call, one of its parts, or anything that they could affect. Used
 * for deny and ask rules.
 */
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

/** Whether the rules together cover everything that the call does. Used for allow rules. */
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
 * Whether a rule applies to a skill, regardless of the input. `Skill(x)` applies to the skill x; if x
 * contains a `*`, it applies to every matching skill without a label. Any other rule applies only to skills
 * with a label, and matches the label or one of the skill's names.
 */
export function namesTool({ tool, spec }: Rule, { skill, aliases, permission: { label } }: Act): boolean {
  const names = [skill, ...aliases];
  if (isSkillRule(tool)) {
    if (spec === undefined) return label === undefined;
    return names.some((name) => isNamed(name, spec)) || (label === undefined && areLike(names, spec));
  }
  return label !== undefined && areLike([...labelForms(label), ...names], tool);
}

/**
 * Whether an allow rule applies to a tool. Only the tool's own label is compared, because anyone can give a
 * tool the name of another tool, or a server the name of a skill. Names of server tools are case-sensitive.
 */
export function allowsTool(rule: Rule, act: Act): boolean {
  const { label, pin } = act.permission;
  if (isSkillRule(rule.tool)) return pin === undefined && namesTool(rule, act);
  if (pin !== undefined)
    return label !== undefined && labelForms(label).some((form) => matchesWildcard(rule.tool, form));
  return label !== undefined && areLike([label], rule.tool);
}

/**
 * Returns the spellings of a label that rules can use: `mcp__server__tool`, `server__tool` or `server.tool`.
 */
function labelForms(label: string): readonly string[] {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(label) ?? [];
  return server === undefined ? [label] : [label, `${server}__${tool ?? ''}`, `${server}.${tool ?? ''}`];
}

function partsOf({ permission, input, workspace }: Act): InputParts | undefined {
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

/** Whether a rule applies to every call to the skills that it names, regardless of the input. */
export function meansWhole({ tool, spec }: Rule): boolean {
  return spec === undefined || isSkillRule(tool);
}

/** Whether a rule's tool is the keyword `Skill`. The brackets then contain a skill name. */
export function isSkillRule(tool: string): boolean {
  return tool.toLowerCase() === 'skill';
}

function isNamed(name: string, expected: string): boolean {
  return name === expected || (!expected.includes('*') && canonical(name) === canonical(expected));
}

/** Normalises each segment separately, so that `team/deploy` differs from `team-deploy`. */
function canonical(name: string): string {
  return name
    .split(/([:/])/)
    .map((part) => (/^[:/]$/.test(part) ? part : normaliseName(part)))
    .join('');
}

/** Whether any of the names matches the pattern, ignoring case. */
function areLike(names: readonly string[], pattern: string): boolean {
  return names.some((name) => matchesWildcard(pattern.toLowerCase(), name.toLowerCase()));
}

/** A parsed permission rule: `Tool`, `Tool(pattern)`, or `Skill(name)` for a skill that is not a tool. */
export interface Rule {
  /** The tool as written, compared case-insensitively. A `*` in it matches any characters. */
  readonly tool: string;
  /** The text between the brackets. Absent if the rule covers the entire tool. */
  readonly spec?: string;
}

/** Parses a permission rule. Returns undefined if the text is not a rule. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, brackets] = /^([\w.*-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined || !/[\w*]/.test(tool) || /\p{Cc}/u.test(text.trim().replace(/\t/g, ' ')))
    return undefined;
  const spec = brackets?.trim();
  if (spec === '') return undefined;
  return spec === undefined || spec === '*' ? { tool } : { tool, spec };
}

const known = new WeakMap<readonly string[], readonly Rule[]>();

/** Parses a list of rules, cached per list. Invalid rules are skipped. */
export function parseRules(texts: readonly string[]): readonly Rule[] {
  const before = known.get(texts);
  if (before !== undefined) return before;
  const rules = texts.map(parseRule).filter((rule) => rule !== undefined);
  known.set(texts, rules);
  return rules;
}
