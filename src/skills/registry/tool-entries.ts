import {
  builtInLabel,
  findForeignTool,
  isSkillRule,
  parseRule,
  type ForeignTool,
  type Rule,
  type Skill,
} from '../../core/index.ts';
import { cardOf } from '../catalog/entries.ts';
import type { Lookup } from './lookup.ts';

/** An entry of a skill's tool list with resolved names. */
export interface OpenedEntry {
  /** The entry as written, followed by the rules that it expands to. */
  readonly rules: readonly string[];
  /** Whether the entry names skills that are not tools. */
  readonly namesSkills: boolean;
  /** Whether the entry names something that exists, or that may exist after a server is opened. */
  readonly isKnown: boolean;
  /** The tool of another program that the entry names, if no registered skill or tool has that name. */
  readonly foreign?: ForeignTool;
}

/**
 * Resolves an entry of a tool list to a built-in tool, or else to a registered skill or tool, or else to a
 * tool of another program. Pure.
 */
export function openToolEntry({ find }: Pick<Lookup, 'find'>, text: string): OpenedEntry {
  const rule = parseRule(text);
  if (rule === undefined) return { rules: [text], namesSkills: false, isKnown: false };
  const { tool, spec } = rule;
  if (isSkillRule(tool)) {
    const found = spec === undefined ? undefined : find(spec);
    const isKnown = spec === undefined || spec.includes('*') || found !== undefined;
    return { rules: [text], namesSkills: !isTool(found), isKnown };
  }
  const server = /^mcp__(?:[^_]|_(?!_))+$/.test(tool);
  // A server's tools are unknown until it is opened.
  if (server || /^mcp__/i.test(tool))
    return { rules: server ? [text, `${tool}__*`] : [text], namesSkills: false, isKnown: true };
  if (tool.includes('*') || builtInLabel(tool) === tool) return opened(text, rule, []);
  const found = find(tool);
  const label = found && cardOf(found).label;
  if (label !== undefined) return opened(text, rule, [label]);
  if (found !== undefined && spec === undefined)
    return { rules: [text, `Skill(${tool})`], namesSkills: true, isKnown: true };
  const builtIn = builtInLabel(tool);
  if (builtIn !== undefined) return opened(text, rule, [builtIn]);
  const foreign = findForeignTool(tool);
  if (foreign === undefined) return { rules: [text], namesSkills: false, isKnown: false };
  const meant = foreign.takesPrefix === true ? withPrefix(rule) : rule;
  return { ...opened(text, meant, foreign.tools), isKnown: foreign.tools.length > 0, foreign };
}

function isTool(skill: Skill | undefined): boolean {
  return skill !== undefined && cardOf(skill).label !== undefined;
}

/** Applies an entry's pattern to each of the tools that the entry resolves to. */
function opened(text: string, { spec }: Rule, labels: readonly string[]): OpenedEntry {
  const rules = labels.flatMap((label): readonly string[] => {
    if (spec === undefined) return [label];
    return isSkillRule(label) ? namesIn(spec).map((name) => `Skill(${name})`) : [`${label}(${spec})`];
  });
  return { rules: [...new Set([text, ...rules])], namesSkills: labels.some(isSkillRule), isKnown: true };
}

/** Returns the names in the parentheses of an entry such as `Task(a, b)`. */
function namesIn(spec: string): readonly string[] {
  return spec
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Turns the beginning of a command, such as `git`, into a pattern for all commands that begin with it. */
function withPrefix(rule: Rule): Rule {
  const isPrefix = rule.spec !== undefined && !rule.spec.includes('*');
  return isPrefix ? { ...rule, spec: `${rule.spec} *` } : rule;
}
