import {
  allowsTool,
  builtInLabel,
  companionTools,
  parseRule,
  parseRules,
  rulesCover,
  type Act,
  type Rule,
  type ToolBound,
} from '../../core/index.ts';
import type { Lookup } from '../../skills/registry/lookup.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import { openToolEntry } from '../../skills/registry/tool-entries.ts';

/** A list of allowed tools with resolved names. The list applies to a call and to all nested calls. */
interface OpenedBound {
  readonly rules: readonly Rule[];
  /**
   * Whether the list names skills that are not tools. If the list names none, calls to such skills are not
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
  const entries = bound.rules.map((text) => openToolEntry(registry.lookup, text));
  const opened = {
    rules: parseRules(openToolRules(registry, bound.rules)),
    namesSkills: entries.some(({ namesSkills }) => namesSkills),
  };
  known.set(bound, opened);
  return opened;
}

const openedRules = new WeakMap<Registry, WeakMap<readonly string[], readonly string[]>>();

/**
 * Returns the permission rules for a list of allowed tools and their companion tools. The registry resolves
 * the names in the list. Cached per list.
 */
export function openToolRules(registry: Registry, list: readonly string[]): readonly string[] {
  const known = openedRules.get(registry) ?? new WeakMap<readonly string[], readonly string[]>();
  openedRules.set(registry, known);
  const before = known.get(list);
  if (before !== undefined) return before;
  const opened = withCompanions(listedRules(registry, list));
  known.set(list, opened);
  return opened;
}

/** Returns the permission rules for a list of tools. The registry resolves the names in the list. */
export function listedRules(
  { lookup }: { readonly lookup: Pick<Lookup, 'find'> },
  list: readonly string[],
): readonly string[] {
  return [...new Set(list.flatMap((text) => openToolEntry(lookup, text).rules))];
}

/**
 * Returns the permission rules for a list of disallowed tools. If an entry is the name of another program's
 * tool, its rules always include the equivalent tools of this package. Otherwise, a project could allow these
 * tools again by adding a skill with that name.
 */
export function deniedRules(registry: Registry, list: readonly string[]): readonly string[] {
  return [...new Set([...listedRules(registry, list), ...listedRules(noSkills, list)])];
}

const noSkills = { lookup: { find: () => undefined } };

/** Adds companion tools, which are useful only together with a listed tool. */
export function withCompanions(rules: readonly string[]): readonly string[] {
  const more = rules.flatMap((text) => companionTools[builtInLabel(parseRule(text)?.tool ?? '') ?? ''] ?? []);
  return more.length === 0 ? rules : [...new Set([...rules, ...more])];
}
