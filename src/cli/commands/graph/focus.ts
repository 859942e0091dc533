import type { CallEdge, CallGraph, CallGroup, CallNode, GraphSkill } from '../../../agent/call-graph.ts';
import type { ReachedTool } from '../../../agent/tool-reach.ts';
import type { Skill } from '../../../core/index.ts';
import { oneLine, type RecursiveSkilledAgent } from '../../command-kit.ts';

/** Returns the part of the graph around a skill, or undefined if the skill is not ready. */
export function focusOf({ skills }: RecursiveSkilledAgent, all: CallGraph, skill: Skill): Focus | undefined {
  if (skill.status !== 'ready') return undefined;
  const name = [skill.name, ...skill.aliases].find((one) => skills.get(one) === skill);
  return name === undefined ? undefined : focusOn(all, name);
}

/** Describes the target of an edge. If the target cannot be called, adds the reason. */
export function calleeText({ to, group }: CallEdge, nodes: ReadonlyMap<string, CallNode>): string {
  if (group !== undefined) return groupText(group);
  const node = nodes.get(to);
  const name = oneLine(to);
  if (node?.kind !== 'skill') return `${name} (missing)`;
  return node.status === 'unavailable' ? `${name} (unavailable)` : name;
}

/** Describes a group of skills and its size. */
export function groupText({ rules, except, within, count }: Omit<CallGroup, 'has'>): string {
  const meant =
    rules === undefined
      ? 'every other skill'
      : `all that ${listed(rules)} ${rules.length === 1 ? 'allows' : 'allow'}`;
  const bounds = within === undefined ? '' : ` within ${boundText(within)}`;
  const number = count.toLocaleString('en');
  return `${meant}${except === undefined ? '' : ` but ${listed(except)}`}${bounds} (${number})`;
}

/** Formats the rules of a tool list. An empty list becomes `no tools`. */
export function boundText(rules: readonly string[]): string {
  return rules.length === 0 ? 'no tools' : listed(rules);
}

/** Describes the list that limits the tools of a skill and its callees, and the list's location. */
export function boundSentence({ rules, file, line }: NonNullable<GraphSkill['allowedTools']>): string {
  return `Everything below it is limited to ${boundText(rules)} (${oneLine(file)}:${line}).`;
}

/** Describes the tools that a skill can reach, directly or through other skills. */
export function toolText(tools: readonly ReachedTool[]): string {
  return tools.length === 0 ? 'none' : tools.map(({ name }) => oneLine(name)).join(', ');
}

function listed(rules: readonly string[]): string {
  return rules.map(oneLine).join(', ');
}

type Callers = Pick<Focus, 'callers' | 'others'>;

const maxNamed = 20;
const maxOthers = 5;

/**
 * Describes a skill's callers in sentences: first those that may call it by name, then those that may call it
 * only as part of a group.
 */
export function callerSentences({ callers, others }: Callers): readonly string[] {
  if (callers.length + others.length === 0) return ['No skill may call this skill.'];
  const number = others.length.toLocaleString('en');
  const unnamed = `${number} ${callers.length === 0 ? '' : 'more '}may call it but do not name it`;
  return [
    callers.length === 0 ? 'No skill lists this skill by name.' : `Called by ${firstOf(callers, maxNamed)}.`,
    ...(others.length === 0 ? [] : [`${unnamed}: ${firstOf(others, maxOthers)}.`]),
  ];
}

/** Summarises a skill's callers in a few words. */
export function callerText({ callers, others }: Callers): string {
  const number = others.length.toLocaleString('en');
  if (callers.length === 0) return others.length === 0 ? 'no skill' : `${number} that do not name it`;
  const named = firstOf(callers, maxOthers);
  return others.length === 0 ? named : `${named}; ${number} more that do not name it`;
}

/** Formats the first names in a list, followed by the number of omitted names. */
export function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map(oneLine).join(', ');
  const more = names.length - most;
  return more > 0 ? `${shown} and ${more.toLocaleString('en')} more` : shown;
}

/** The part of a graph that contains one skill, its callees and its callers. */
export interface Focus {
  readonly skill: GraphSkill;
  /** The skill and everything that it may call by name, directly or indirectly. */
  readonly below: CallGraph;
  /** The skills that may call this skill by name. */
  readonly callers: readonly string[];
  /** The skills that may call this skill as part of a group. */
  readonly others: readonly string[];
}

/** Returns the callees and callers of the named skill, or undefined if it is not in the graph. Pure. */
export function focusOn({ nodes, edges }: CallGraph, name: string): Focus | undefined {
  const skill = nodes.find((node) => node.name === name);
  if (skill?.kind !== 'skill') return undefined;
  const leading = edgesByCaller(edges);
  const reached = new Set([name]);
  for (const caller of reached) {
    for (const { to, group } of leading.get(caller) ?? []) if (group === undefined) reached.add(to);
  }
  const leadsHere = edges.filter(({ to, group }) => (group === undefined ? to === name : group.has(name)));
  const callers = ({ isGroup }: { isGroup: boolean }): readonly string[] =>
    leadsHere.filter(({ group }) => (group !== undefined) === isGroup).map(({ from }) => from);
  return {
    skill,
    below: {
      nodes: nodes.filter((node) => reached.has(node.name)),
      edges: edges.filter(({ from }) => reached.has(from)),
    },
    callers: callers({ isGroup: false }),
    others: callers({ isGroup: true }),
  };
}

/** Groups a graph's edges by caller. */
export function edgesByCaller(edges: readonly CallEdge[]): ReadonlyMap<string, readonly CallEdge[]> {
  return Map.groupBy(edges, ({ from }) => from);
}

/** Returns a single graph that contains a skill's callers and callees, and the calls between them. Pure. */
export function focusedGraph(
  { skill, below, callers, others }: Focus,
  { nodes, edges }: CallGraph,
): CallGraph {
  const inside = new Set(below.nodes.map(({ name }) => name));
  const above = new Set([...callers, ...others]);
  const leadsHere = ({ from, to, group }: CallEdge): boolean =>
    above.has(from) && (group === undefined ? to === skill.name : group.has(skill.name));
  return {
    nodes: nodes.filter(({ name }) => inside.has(name) || above.has(name)),
    edges: edges.filter((edge) => inside.has(edge.from) || leadsHere(edge)),
  };
}
