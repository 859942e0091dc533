import type { CallEdge, CallGraph, CallGroup, CallNode, GraphSkill } from '../../../agent/call-graph.ts';
import type { Skill } from '../../../core/index.ts';
import { oneLine, type RecursiveSkilledAgent } from '../../command-kit.ts';

/** What is around a skill; undefined for one that is not ready. */
export function focusOf({ skills }: RecursiveSkilledAgent, all: CallGraph, skill: Skill): Focus | undefined {
  if (skill.status !== 'ready') return undefined;
  const name = [skill.name, ...skill.aliases].find((one) => skills.get(one) === skill);
  return name === undefined ? undefined : focusOn(all, name);
}

/** What an edge leads to, in words; one that cannot be called says why. */
export function calleeText({ to, group }: CallEdge, nodes: ReadonlyMap<string, CallNode>): string {
  if (group !== undefined) return groupText(group);
  const node = nodes.get(to);
  const name = oneLine(to);
  if (node?.kind !== 'skill') return `${name} (missing)`;
  return node.status === 'unavailable' ? `${name} (unavailable)` : name;
}

/** A group in words, with its size. */
export function groupText({ rules, except, count }: Omit<CallGroup, 'has'>): string {
  const meant =
    rules === undefined
      ? 'every other skill'
      : `all that ${listed(rules)} ${rules.length === 1 ? 'allows' : 'allow'}`;
  return `${meant}${except === undefined ? '' : ` but ${listed(except)}`} (${count.toLocaleString('en')})`;
}

function listed(rules: readonly string[]): string {
  return rules.map(oneLine).join(', ');
}

type Callers = Pick<Focus, 'callers' | 'others'>;

const mostNamed = 20;
const mostOthers = 5;

/** Who may call a skill, in sentences: who names it, and who may call it as one of many. */
export function callerSentences({ callers, others }: Callers): readonly string[] {
  if (callers.length + others.length === 0) return ['No skill may call it.'];
  const number = others.length.toLocaleString('en');
  const unnamed = `${number}${callers.length === 0 ? '' : ' more'} may call it without naming it`;
  return [
    callers.length === 0 ? 'No skill names it.' : `Called by ${firstOf(callers, mostNamed)}.`,
    ...(others.length === 0 ? [] : [`${unnamed}: ${firstOf(others, mostOthers)}.`]),
  ];
}

/** The same in a few words. */
export function callerText({ callers, others }: Callers): string {
  const number = others.length.toLocaleString('en');
  if (callers.length === 0) return others.length === 0 ? 'no skill' : `${number} without naming it`;
  const named = firstOf(callers, mostOthers);
  return others.length === 0 ? named : `${named}; ${number} without naming it`;
}

/** The first of some names and how many more there are. */
export function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map(oneLine).join(', ');
  const more = names.length - most;
  return more > 0 ? `${shown} and ${more.toLocaleString('en')} more` : shown;
}

/** The part of a graph around one skill. */
export interface Focus {
  readonly skill: GraphSkill;
  /** The skill and everything that it may call by name, itself or through others. */
  readonly below: CallGraph;
  /** Who may call it by name. */
  readonly callers: readonly string[];
  /** Who may call it as one of a group. */
  readonly others: readonly string[];
}

/** What a skill may call and who may call it; undefined where the graph has no such skill. Pure. */
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

/** The edges of a graph by the one who calls. */
export function edgesByCaller(edges: readonly CallEdge[]): ReadonlyMap<string, readonly CallEdge[]> {
  return Map.groupBy(edges, ({ from }) => from);
}

/** Everything that a focus tells of as one graph, the edges that lead to the skill included. Pure. */
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
