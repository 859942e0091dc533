import { count } from '../../../doctor/report.ts';
import type { Invocation } from '../../command.ts';
import { openAgent } from '../../open-agent.ts';
import { printJson } from '../../output/json.ts';
import { buildGraph, type SopGraph } from './build-graph.ts';
import { checkScript } from './check-script.ts';
import { drawGraph } from './draw-graph.ts';
import { mermaidOf } from './mermaid.ts';
import { mustNameOne } from './must-name.ts';
import { readScript } from './read-script.ts';
import { sayIssues } from './say-issues.ts';

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
