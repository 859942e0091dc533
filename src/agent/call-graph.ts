import { optional, type Skill, type SkillStatus, type Source } from '../core/index.ts';
import { letsUse, reachedAs } from '../run/permissions/tool-lists.ts';
import { reachIn, type SkillReach } from '../run/permissions/callable.ts';
import { ownersOf } from '../run/routing/candidates.ts';
import { cardOf } from '../skills/catalog/entries.ts';
import type { Registry } from '../skills/registry/registry.ts';

/** A call graph: all skills, and the other skills that each one may call. */
export interface CallGraph {
  /** All ready skills, plus any other names that appear in their lists of allowed skills, sorted by name. */
  readonly nodes: readonly CallNode[];
  readonly edges: readonly CallEdge[];
}

/** A node in the graph: a skill, or a name in a list of allowed skills that does not match any skill. */
export type CallNode = GraphSkill | { readonly kind: 'missing'; readonly name: string };

/** A skill, identified by its shortest unique name. */
export interface GraphSkill {
  readonly kind: 'skill';
  readonly name: string;
  readonly family: string;
  readonly source: Source;
  readonly status: SkillStatus;
  /**
   * The skills that own this skill. A prompt that does not name a skill can reach this skill only through one
   * of its owners.
   */
  readonly onlyThrough?: readonly string[];
  /** The skill's name in permission rules, if the skill is a tool. */
  readonly rule?: string;
  /** The list that limits which tools the skill and its direct or indirect callees may use. */
  readonly allowedTools?: GraphBound;
}

/** A list that limits which tools a skill and its direct or indirect callees may use. */
interface GraphBound {
  /** The entries of the list, as written in the descriptor. */
  readonly rules: readonly string[];
  readonly file: string;
  /** The one-based line number of the list. */
  readonly line: number;
  /** Whether the list allows at least one use of the named skill or tool. */
  lets(name: string): boolean;
}

/** An edge from a skill to another skill, or to a group of skills, that the first skill may call. */
export interface CallEdge {
  readonly from: string;
  /** The name of the skill that may be called, or `*` for a group. */
  readonly to: string;
  readonly group?: CallGroup;
}

/**
 * A group of skills that a caller may call without listing each one by name. The group stores rules instead
 * of names, because it can contain thousands of skills.
 */
export interface CallGroup {
  /**
   * The rules in the descriptor that select the group's skills. If absent, the group contains all other
   * skills.
   */
  readonly rules?: readonly string[];
  /** The rules in the descriptor that exclude skills from the group. */
  readonly except?: readonly string[];
  /** The tool list that applies to the caller and its callees, as written in the descriptor. */
  readonly within?: readonly string[];
  readonly count: number;
  has(name: string): boolean;
}

/**
 * Returns the call graph of a registry: the calls that each skill's own list allows if a user calls that
 * skill directly. Ignores permission rules.
 */
export function callGraphOf(registry: Registry): CallGraph {
  const reachOf = reachIn(registry);
  const nameOf = (skill: Skill): string => reachedAs(registry, skill);
  const callers = registry.skills
    .filter(({ status }) => status === 'ready')
    .map((skill) => ({ skill, reach: reachOf(skill) }));
  const skills = new Map<string, Skill>();
  for (const { skill, reach } of callers)
    for (const one of [skill, ...reach.named]) skills.set(nameOf(one), one);
  const owners = ownersOf(registry);
  const letsName = (skill: Skill, name: string): boolean => {
    const called = skills.get(name);
    return called === undefined || letsUse(registry, { skill, bound: cardOf(skill).toolBound }, called);
  };
  const nodes = [...skills].map(([name, skill]) =>
    nodeOf(name, skill, owners.get(skill)?.map(nameOf), (called) => letsName(skill, called)),
  );
  const missing = new Set(callers.flatMap(({ reach }) => reach.missing));
  return {
    nodes: [...nodes, ...[...missing].map((name) => ({ kind: 'missing', name }) as const)].sort(byName),
    edges: callers.flatMap(({ skill, reach }) => edgesFrom(nameOf(skill), reach, nameOf, skills)),
  };
}

function nodeOf(
  name: string,
  skill: Skill,
  onlyThrough: readonly string[] | undefined,
  lets: GraphBound['lets'],
): GraphSkill {
  const { family, source, status, file } = skill;
  const { label, toolBound: bound } = cardOf(skill);
  return {
    kind: 'skill',
    name,
    family,
    source,
    status,
    ...optional('onlyThrough', onlyThrough),
    ...optional('rule', label),
    ...optional('allowedTools', bound && { rules: bound.rules, file, line: bound.line, lets }),
  };
}

function edgesFrom(
  from: string,
  { named, missing, group }: SkillReach,
  nameOf: (skill: Skill) => string,
  skills: ReadonlyMap<string, Skill>,
): readonly CallEdge[] {
  const edges = [...named.map(nameOf), ...missing].map((to) => ({ from, to }));
  if (group === undefined || group.count === 0) return edges;
  const has = (name: string): boolean => {
    const skill = skills.get(name);
    return skill !== undefined && group.has(skill);
  };
  return [...edges, { from, to: '*', group: { ...group, has } }];
}

/** Compares two nodes by name, for sorting. */
export function byName(a: Pick<CallNode, 'name'>, b: Pick<CallNode, 'name'>): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
