import type { CalledSkill, CallEdge, CallGraph } from '../../../agent/call-graph.ts';

/** The part of a graph around one skill. */
export interface Focus {
  readonly skill: CalledSkill;
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
