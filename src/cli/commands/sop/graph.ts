import { optional } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import type { ResolvedStep } from '../../../engines/sop/check/resolve-step.ts';
import {
  arrowLines,
  mermaidLabel,
  oneLine,
  openAgent,
  printJson,
  withCommas,
  type ArrowRow,
  type Invocation,
} from '../../command-kit.ts';
import { checkScript, sayIssues } from './check.ts';
import { mustNameOne, readScript } from './script.ts';

/** The dataflow of a plan, drawn as far as it can be read; exit 3 when it could not run. */
export async function graphScript(invocation: Invocation): Promise<number> {
  const { flags, words, terminal } = invocation;
  const script = await readScript(mustNameOne(words, 'graph'), flags.cwd);
  await using agent = await openAgent(flags);
  const checked = checkScript(agent, script, true);
  const { file, steps, issues, isSound } = checked;
  const graph = buildGraph(steps);
  if (flags.json) printJson(terminal, { ok: isSound, file, ...graph, issues });
  else {
    if (steps.length > 0) draw(graph, invocation);
    sayIssues(checked, invocation);
  }
  return isSound ? 0 : 3;
}

function draw(graph: SopGraph, { flags, own, terminal }: Invocation): void {
  const isMermaid = own['mermaid'] === true;
  terminal.out(isMermaid ? mermaidOf(graph) : `${drawGraph(graph, terminal.width).join('\n')}\n`);
  if (!flags.quiet) terminal.err(`${summary(graph)}\n`);
}

function summary({ nodes }: SopGraph): string {
  const steps = nodes.filter(({ kind }) => kind === 'step');
  const stuck = steps.filter(({ wave }) => wave === undefined).length;
  const waves = steps.reduce((most, { wave = 0 }) => Math.max(most, wave), 0);
  return stuck === 0
    ? `${count(steps.length, 'step')} in ${count(waves, 'wave')}; each starts as soon as what it waits for is there.`
    : `${count(steps.length, 'step')}, of which ${stuck} cannot start because of a cycle.`;
}

/** Lines in which the steps of one wave stand together, each with what it waits for; where no width is given, for 80 columns and whole. */
export function drawGraph({ nodes, edges }: SopGraph, width: number | undefined): readonly string[] {
  const needs = Map.groupBy(edges, ({ to }) => to);
  const waves = [...Map.groupBy(nodes, ({ wave }) => wave ?? cyclic)].sort(([a], [b]) => a - b);
  const digits = waves.reduce((most, [wave]) => Math.max(most, signOf(wave).length), 0);
  const rows = waves.flatMap(([wave, members], index) => [
    ...(index === 0 ? [] : [{ ...empty, start: `${' '.repeat(digits)} ${wave === cyclic ? '' : '↓'}` }]),
    ...members.map((node, place): ArrowRow => {
      const branch = branchAt(place, members.length);
      const stem = branch === '┬' || branch === '├' ? '│' : '';
      return {
        start: `${(place > 0 ? '' : signOf(wave)).padStart(digits)} ${branch} `,
        stem: `${' '.repeat(digits)} ${stem}`,
        cells: [oneLine(node.name), commandOf(node)],
        arrow: '←',
        parts: withCommas((needs.get(node.name) ?? []).map(useOf)),
      };
    }),
  ]);
  return arrowLines(rows, width);
}

/** What comes to no value stands behind everything else. */
const cyclic = Infinity;

const empty: ArrowRow = { start: '', stem: '', cells: ['', ''], arrow: '←', parts: [] };

/** Of a wave, in front of its first step. */
function signOf(wave: number): string {
  return wave === cyclic ? '↻' : String(wave);
}

function branchAt(place: number, count: number): string {
  if (count === 1) return '─';
  return place === 0 ? '┬' : place === count - 1 ? '└' : '├';
}

function commandOf({ kind, command = '', isEach }: GraphNode): string {
  if (kind !== 'step') return kind === 'input' ? '(supplied)' : '(not declared)';
  return `${oneLine(command)}${isEach === true ? ' ×' : ''}`;
}

function useOf({ from, kind, isNegated }: GraphEdge): string {
  const words = { value: '', list: 'each ', guard: isNegated === true ? 'when not ' : 'when ' };
  return `${words[kind]}${oneLine(from)}`;
}

/** The graph as a Mermaid flowchart; no character of a name can end a label. Pure. */
export function mermaidOf({ nodes, edges }: SopGraph): string {
  const ids = new Map(nodes.map(({ name }, index) => [name, `v${index + 1}`]));
  const id = (name: string): string => ids.get(name) ?? '';
  const lines = [
    ...nodes.map((node) => `${id(node.name)}${shapeOf(node)}`),
    ...edges.map((edge) => `${id(edge.from)} ${arrowOf(edge)} ${id(edge.to)}`),
  ];
  return ['flowchart TD', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/** A step is a box, with double sides where it runs for each of a list; what is no step is round. */
function shapeOf({ name, kind, command = '', isEach }: GraphNode): string {
  if (kind === 'input') return `(["${mermaidLabel(name)}"])`;
  if (kind === 'missing') return `(["${mermaidLabel(name)}<br/>not declared"])`;
  const text = `"${mermaidLabel(name)}<br/>${mermaidLabel(command)}"`;
  return isEach === true ? `[[${text}]]` : `[${text}]`;
}

function arrowOf({ kind, isNegated }: GraphEdge): string {
  if (kind === 'value') return '-->';
  if (kind === 'list') return '-->|each|';
  return isNegated === true ? '-.->|when not|' : '-.->|when|';
}

/** The dataflow of a plan. */
export interface SopGraph {
  /** What is there before any step, then the steps in the order of the script. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A variable. */
interface GraphNode {
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
interface GraphEdge {
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
