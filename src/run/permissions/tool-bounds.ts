import {
  allowsTool,
  isSkillRule,
  parseRule,
  rulesCover,
  type Act,
  type Rule,
  type Skill,
  type ToolBound,
} from '../../core/index.ts';
import { cardOf } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';

/** A list of allowed tools with resolved names. It applies to a call and all calls below it. */
interface OpenedBound {
  readonly rules: readonly Rule[];
  /**
   * Whether the list names skills that are not tools. If it does not, calls to such skills are not
   * restricted.
   */
  readonly namesSkills: boolean;
}

/** Whether a tool list allows everything that a call would do. */
export function boundCovers(registry: Registry, bound: ToolBound, act: Act): boolean {
  const opened = openBound(registry, bound);
  return !isBounded(opened, act) || rulesCover(opened.rules, act);
}

/** Whether a tool list allows at least one use of a skill. The call itself is checked in detail later. */
export function boundLetsUse(registry: Registry, bound: ToolBound, act: Act): boolean {
  const opened = openBound(registry, bound);
  return !isBounded(opened, act) || opened.rules.some((rule) => allowsTool(rule, act));
}

function isBounded({ namesSkills }: OpenedBound, { permission: { label, pin } }: Act): boolean {
  return namesSkills || label !== undefined || pin !== undefined;
}

const openedBounds = new WeakMap<Registry, WeakMap<ToolBound, OpenedBound>>();

function openBound(registry: Registry, bound: ToolBound): OpenedBound {
  const known = openedBounds.get(registry) ?? new WeakMap<ToolBound, OpenedBound>();
  openedBounds.set(registry, known);
  const before = known.get(bound);
  if (before !== undefined) return before;
  const entries = bound.rules.map((text) => openEntry(registry, text));
  const opened = {
    rules: entries.flatMap(({ rules }) => rules),
    namesSkills: entries.some(({ namesSkills }) => namesSkills),
  };
  known.set(bound, opened);
  return opened;
}

/**
 * Parses an entry of a tool list. The plain name of a registered skill stands for both the skill and the tool
 * with that name.
 */
function openEntry({ lookup }: Registry, text: string): OpenedBound {
  const rule = parseRule(text);
  if (rule === undefined) return { rules: [], namesSkills: false };
  const { tool, spec } = rule;
  if (isSkillRule(tool)) {
    const found = spec === undefined ? undefined : lookup.find(spec);
    return { rules: [rule], namesSkills: !isTool(found) };
  }
  const found = spec === undefined && !tool.includes('*') ? lookup.find(tool) : undefined;
  if (found === undefined) return { rules: [rule], namesSkills: false };
  return { rules: [rule, { tool: 'Skill', spec: tool }], namesSkills: !isTool(found) };
}

function isTool(skill: Skill | undefined): boolean {
  return skill !== undefined && cardOf(skill).label !== undefined;
}
