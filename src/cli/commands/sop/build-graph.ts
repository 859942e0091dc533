import { optional } from '../../../core/collections.ts';
import type { ResolvedStep } from '../../../engines/sop/check/resolve-step.ts';

/** The dataflow of a plan. */
export interface SopGraph {
  /** What is there before any step, then the steps in the order of the script. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A variable. */
export interface GraphNode {
  readonly name: string;
  /** The supplied input and what nobody declares are no steps. */
  readonly kind: 'step' | 'input' | 'missing';
  readonly command?: string;
  /** One-based. */
  readonly line?: number;
  readonly comment?: string;
  /** Its command runs once for each of a list. */
  readonly isEach?: true;
  /** One more than that of the latest variable it uses, counted from 1; 0 for what is no step, and none in or behind a cycle. */
  readonly wave?: number;
}

/** One variable is used by another: its value, its items one by one, or whether there is something in it. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'value' | 'list' | 'guard';
  /** The step happens only if nothing is in it. */
  readonly isNegated?: true;
}

/** The graph of a script, with or without errors; of two declarations of one name the first counts. Pure. */
export function buildGraph(steps: readonly ResolvedStep[]): SopGraph {
  const byName = new Map<string, ResolvedStep>();
  for (const step of steps) if (!byName.has(step.name)) byName.set(step.name, step);
  const declared = [...byName.values()];
  const edges = declared.flatMap(edgesTo);
  const waves = wavesOf([...byName.keys()], edges);
  const others = new Set(edges.map(({ from }) => from).filter((name) => !byName.has(name)));
  return {
    nodes: [
      ...[...others].map((name): GraphNode => ({ name, kind: name === 'input' ? name : 'missing', wave: 0 })),
      ...declared.map((step) => nodeOf(step, waves.get(step.name))),
    ],
    edges,
  };
}

function nodeOf({ name, command, place, comment, each }: ResolvedStep, wave: number | undefined): GraphNode {
  return {
    name,
    kind: 'step',
    command,
    line: place.line,
    ...optional('comment', comment),
    ...(each === undefined ? {} : { isEach: true }),
    ...optional('wave', wave),
  };
}

/** In the order in which the step names them, each way of use once; a reference to nothing is an edge from what it says. */
function edgesTo({ name: to, sources, each, list, when, guard }: ResolvedStep): readonly GraphEdge[] {
  const values = sources.flatMap((source) => (source.kind === 'variable' ? [source.target.variable] : []));
  return [
    ...(each === undefined ? [] : [{ from: list?.variable ?? each.path, to, kind: 'list' } as const]),
    ...[...new Set(values)].map((from) => ({ from, to, kind: 'value' }) as const),
    ...(when === undefined ? [] : [guardEdge(guard?.variable ?? when.of.path, to, when.isNegated)]),
  ];
}

function guardEdge(from: string, to: string, isNegated: boolean): GraphEdge {
  return { from, to, kind: 'guard', ...(isNegated ? { isNegated } : {}) };
}

/** The wave of each variable that can come to a value at all. */
function wavesOf(names: readonly string[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const open = new Map(names.map((name) => [name, new Set<string>()]));
  const users = new Map<string, string[]>();
  for (const { from, to } of edges) {
    if (!open.has(from) || open.get(to)?.has(from) === true) continue;
    open.get(to)?.add(from);
    const known = users.get(from);
    if (known === undefined) users.set(from, [to]);
    else known.push(to);
  }
  const waves = new Map<string, number>();
  let ready = names.filter((name) => open.get(name)?.size === 0);
  for (let wave = 1; ready.length > 0; wave++) {
    const next: string[] = [];
    for (const name of ready) {
      waves.set(name, wave);
      for (const user of users.get(name) ?? []) {
        const waited = open.get(user);
        waited?.delete(name);
        if (waited?.size === 0) next.push(user);
      }
    }
    ready = next;
  }
  return waves;
}
