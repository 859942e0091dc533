import type { Json } from './json.ts';
import { normaliseName } from './names.ts';
import type { Permission } from './policy.ts';
import type { Rule } from './rule.ts';

/** A call as rules see it. */
export interface Act {
  readonly skill: string;
  readonly aliases: readonly string[];
  readonly permission: Permission;
  readonly input: Json;
  readonly workspace: string | undefined;
}

/** The first rule that means the call or any part of it: how rules that forbid are read. */
export function ruleAgainst(rules: readonly Rule[], act: Act): Rule | undefined {
  const inputs = [act.input, ...(act.permission.parts?.(act.input).parts ?? [])];
  return rules.find((rule) => inputs.some((input) => means(rule, act, input)));
}

/** Whether rules together mean all that the call does: how rules that allow are read. */
export function rulesCover(rules: readonly Rule[], act: Act): boolean {
  const named = rules.filter((rule) => namesTool(rule, act));
  if (named.some(({ spec, tool }) => spec === undefined || isSkillRule(tool))) return true;
  const { parts, areAll } = act.permission.parts?.(act.input) ?? { parts: [act.input], areAll: true };
  return areAll && parts.length > 0 && parts.every((part) => named.some((rule) => means(rule, act, part)));
}

/** Whether a rule speaks of a skill at all, whatever its input. */
export function namesTool({ tool, spec }: Rule, { skill, aliases, permission }: Act): boolean {
  if (isSkillRule(tool)) {
    if (spec === undefined) return permission.label === undefined; // tools are named by their own word
    const wanted = normaliseName(spec);
    return [skill, ...aliases].some((name) => name === spec || normaliseName(name) === wanted);
  }
  return tool.toLowerCase() === permission.label?.toLowerCase();
}

function means(rule: Rule, act: Act, input: Json): boolean {
  if (!namesTool(rule, act)) return false;
  if (rule.spec === undefined || isSkillRule(rule.tool)) return true;
  return act.permission.matches?.(rule.spec, input, act.workspace ?? '') === true;
}

function isSkillRule(tool: string): boolean {
  return tool.toLowerCase() === 'skill';
}
