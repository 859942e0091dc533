import { optional, type Skill, type SkillStatus, type Source } from '../core/index.ts';
import { reachedAs } from '../run/permissions/tool-lists.ts';
import { reachIn, type SkillReach } from '../run/permissions/callable.ts';
import { ownersOf } from '../run/routing/candidates.ts';
import type { Registry } from '../skills/registry/registry.ts';

/** Who may call whom. */
export interface CallGraph {
  /** By name; every skill that is ready, and what lists name besides. */
  readonly nodes: readonly CallNode[];
  readonly edges: readonly CallEdge[];
}

/** A skill, or a name on a list that leads to none. */
export type CallNode = GraphSkill | { readonly kind: 'missing'; readonly name: string };

/** A skill under the shortest name that leads to it and to no other. */
export interface GraphSkill {
  readonly kind: 'skill';
  readonly name: string;
  readonly family: string;
  readonly source: Source;
  readonly status: SkillStatus;
  /** The skills that have it for themselves: a prompt that names no skill reaches it through them. */
  readonly onlyThrough?: readonly string[];
}

/** One may call the other, or each of a group. */
export interface CallEdge {
  readonly from: string;
  /** The name of a node; `*` where there is a group. */
  readonly to: string;
  readonly group?: CallGroup;
}

/** Skills that may be called without being named; their names are not listed, since there may be thousands. */
export interface CallGroup {
  /** The rules that mean them, as written; absent for every other skill. */
  readonly rules?: readonly string[];
  /** The rules that take some away, as written. */
  readonly except?: readonly string[];
  readonly count: number;
  has(name: string): boolean;
}

/** The graph of a registry: what each skill may call when a person calls it, as its own lists say. Permission is another matter. */
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
  const nodes = [...skills].map(([name, skill]) => nodeOf(name, skill, owners.get(skill)?.map(nameOf)));
  const missing = new Set(callers.flatMap(({ reach }) => reach.missing));
  return {
    nodes: [...nodes, ...[...missing].map((name) => ({ kind: 'missing', name }) as const)].sort(byName),
    edges: callers.flatMap(({ skill, reach }) => edgesFrom(nameOf(skill), reach, nameOf, skills)),
  };
}

function nodeOf(name: string, skill: Skill, onlyThrough: readonly string[] | undefined): GraphSkill {
  const { family, source, status } = skill;
  return { kind: 'skill', name, family, source, status, ...optional('onlyThrough', onlyThrough) };
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

function byName(a: CallNode, b: CallNode): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
