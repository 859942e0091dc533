import { counted, optional } from '../../../core/index.ts';
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

/**
 * Draws a plan's dataflow, even if some of its lines cannot be parsed. Exits with 3 if the plan cannot run.
 */
export async function graphScript(invocation: Invocation): Promise<number> {
  const { flags, args, terminal } = invocation;
  const script = await readScript(mustNameOne(args, 'graph'), flags.cwd);
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
    ? `${counted(steps.length, 'step')} in ${counted(waves, 'wave')}; each step starts as soon as its inputs are ready.`
    : `${counted(steps.length, 'step')}; ${stuck} cannot start because of a cycle.`;
}

/**
 * Draws the steps by wave, each with the variables it waits for. Without a width, draws for 80 columns and
 * does not truncate lines.
 */
export function drawGraph({ nodes, edges }: SopGraph, width: number | undefined): readonly string[] {
  const needs = Map.groupBy(edges, ({ to }) => to);
  const waves = [...Map.groupBy(nodes, ({ wave }) => wave ?? cyclic)].sort(([a], [b]) => a - b);
  const digits = waves.reduce((most, [wave]) => Math.max(most, signOf(wave).length), 0);
  const rows = waves.flatMap(([wave, members], index) => [
    ...(index === 0 ? [] : [{ ...empty, start: `${' '.repeat(digits)} ${wave === cyclic ? '' : '↓'}` }]),
    ...members.map((node, row): ArrowRow => {
      const branch = branchAt(row, members.length);
      const stem = branch === '┬' || branch === '├' ? '│' : '';
      return {
        start: `${(row > 0 ? '' : signOf(wave)).padStart(digits)} ${branch} `,
        stem: `${' '.repeat(digits)} ${stem}`,
        cells: [oneLine(node.name), commandOf(node)],
        arrow: '←',
        parts: withCommas((needs.get(node.name) ?? []).map(useOf)),
      };
    }),
  ]);
  return arrowLines(rows, width);
}

/** The wave for steps that can never run because of a cycle. It is drawn last. */
const cyclic = Infinity;

const empty: ArrowRow = { start: '', stem: '', cells: ['', ''], arrow: '←', parts: [] };

/** Returns the label that is drawn before the first step of a wave. */
function signOf(wave: number): string {
  return wave === cyclic ? '↻' : String(wave);
}

function branchAt(row: number, count: number): string {
  if (count === 1) return '─';
  return row === 0 ? '┬' : row === count - 1 ? '└' : '├';
}

function commandOf({ kind, command = '', isEach }: GraphNode): string {
  if (kind !== 'step') return kind === 'input' ? '(supplied)' : '(not declared)';
  return `${oneLine(command)}${isEach === true ? ' ×' : ''}`;
}

function useOf({ from, kind, isNegated }: GraphEdge): string {
  const prefixes = { value: '', list: 'each ', guard: isNegated === true ? 'when not ' : 'when ' };
  return `${prefixes[kind]}${oneLine(from)}`;
}

/** Formats the graph as a Mermaid flowchart. Escapes names, so that no name can end its label. Pure. */
export function mermaidOf({ nodes, edges }: SopGraph): string {
  const ids = new Map(nodes.map(({ name }, index) => [name, `v${index + 1}`]));
  const id = (name: string): string => ids.get(name) ?? '';
  const lines = [
    ...nodes.map((node) => `${id(node.name)}${shapeOf(node)}`),
    ...edges.map((edge) => `${id(edge.from)} ${arrowOf(edge)} ${id(edge.to)}`),
  ];
  return ['flowchart TD', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/**
 * Returns the Mermaid shape for a node. A step is a box, with double sides if it runs for each item of a
 * list. Other nodes are round.
 */
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

/** A plan's dataflow. */
export interface SopGraph {
  /** The variables that exist before any step, followed by the steps in script order. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A variable in a plan. */
interface GraphNode {
  readonly name: string;
  /** The kind of variable: a step's result, supplied input, or an undeclared variable. */
  readonly kind: 'step' | 'input' | 'missing';
  readonly command?: string;
  /** The one-based number of the line that declares the variable. */
  readonly line?: number;
  readonly comment?: string;
  /** Set if the command runs once for each item of a list. */
  readonly isEach?: true;
  /**
   * The number of the wave in which the step runs, starting at 1: one more than the latest wave of the
   * variables that the step uses. It is 0 for a variable that is not a step, and absent for a step that is in
   * a cycle or depends on one.
   */
  readonly wave?: number;
}

/** A step's reference to another variable: to its value, to each item, or to whether it has a value. */
interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'value' | 'list' | 'guard';
  /** Set if the step runs only if the other variable is empty. */
  readonly isNegated?: true;
}

/**
 * Builds the graph of a script, even if the script has errors. If a name is declared twice, only the first
 * declaration is used. Pure.
 */
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

function nodeOf(
  { name, command, position, comment, each }: ResolvedStep,
  wave: number | undefined,
): GraphNode {
  return {
    name,
    kind: 'step',
    command,
    line: position.line,
    ...optional('comment', comment),
    ...(each === undefined ? {} : { isEach: true }),
    ...optional('wave', wave),
  };
}

/**
 * Returns the edges to a step, in the order in which the step uses the variables. A variable that is used
 * several times in the same way gets one edge. An undeclared variable is identified by its whole path.
 */
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

/** Returns the wave of each variable that can receive a value. */
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
