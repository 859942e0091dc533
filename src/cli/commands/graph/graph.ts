import { callGraphOf, type CallEdge, type CallGraph } from '../../../agent/call-graph.ts';
import { AgentError } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import {
  oneLine,
  openAgent,
  pasteable,
  printJson,
  wrapTo,
  type CliCommand,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { firstStep } from '../../skill-templates.ts';
import { drawOverview, drawTree } from './draw-text.ts';
import { callerSentences, firstOf, focusOf, focusedGraph, type Focus } from './focus.ts';
import { dotOf, mermaidOf, pictureAround, pictureOf } from './picture.ts';

/** `skilled graph`: who may call whom, by the lists that runs go by. */
export const graph: CliCommand = {
  summary: 'Show which skill may call which.',
  usage: `Usage: skilled graph [skill] [--mermaid | --dot | --json]

A list of allowed skills is the whole list; without one a skill may call every other
that a model may choose, as far as its list of tools lets it. With a skill: what it may
call, down to the end, and who may call it.

  skilled graph
  skilled graph daily --mermaid

  --mermaid  as a Mermaid flowchart
  --dot      for Graphviz`,
  options: { mermaid: { type: 'boolean' }, dot: { type: 'boolean' } },
  mostWords: 1,
  async run(invocation) {
    const { flags, words, terminal } = invocation;
    mustBeOneForm(invocation);
    await using agent = await openAgent(flags);
    const all = callGraphOf(agent.skills.snapshot());
    const focus = words[0] === undefined ? undefined : mustFocus(agent, all, words[0]);
    if (flags.json) {
      const shown = focus === undefined ? all : focusedGraph(focus, all);
      printJson(terminal, { ok: true, ...(focus && { skill: focus.skill.name }), ...shown });
      return 0;
    }
    terminal.out(focus === undefined ? wholeText(all, invocation) : focusText(focus, all, invocation));
    if (!flags.quiet && focus === undefined)
      for (const line of graphNotes(agent, all, invocation)) terminal.err(`${pasteable(line, terminal)}\n`);
    return 0;
  },
};

function mustBeOneForm({ flags, own }: Invocation): void {
  const forms = [...['mermaid', 'dot'].filter((form) => own[form] === true), ...(flags.json ? ['json'] : [])];
  if (forms.length < 2) return;
  const given = forms.map((form) => `--${form}`).join(' and ');
  throw new AgentError('usage.bad-input', `${given} are ways to tell the same.`, {
    hint: 'Leave all but one out.',
  });
}

/** By any of its names; throws `skill.not-found`, and `skill.unavailable` for one that is not ready. */
function mustFocus(agent: RecursiveSkilledAgent, all: CallGraph, name: string): Focus {
  const found = agent.skills.resolve(name);
  const focus = focusOf(agent, all, found);
  if (focus !== undefined) return focus;
  throw new AgentError(
    'skill.unavailable',
    `"${name}" is ${found.status}; only what is ready calls others.`,
    {
      hint: `\`skilled show ${name}\` tells why.`,
    },
  );
}

function wholeText(all: CallGraph, { own, terminal }: Invocation): string {
  if (own['mermaid'] === true) return mermaidOf(pictureOf(all));
  if (own['dot'] === true) return dotOf(pictureOf(all));
  return drawOverview(all, terminal.width ?? Infinity)
    .map((line) => `${line}\n`)
    .join('');
}

function focusText(focus: Focus, all: CallGraph, { own, terminal }: Invocation): string {
  if (own['mermaid'] === true) return mermaidOf(pictureAround(focus, all));
  if (own['dot'] === true) return dotOf(pictureAround(focus, all));
  const { onlyThrough } = focus.skill;
  const owners = onlyThrough?.map(oneLine).join(', ');
  const sentences = [
    ...callerSentences(focus),
    ...(owners === undefined ? [] : [`A prompt that names no skill reaches it only through ${owners}.`]),
  ];
  const width = terminal.width ?? Infinity;
  const below = sentences.flatMap((sentence) => wrapTo(sentence.split(' '), ' ', width));
  return [...drawTree(focus, terminal.width), '', ...below, ''].join('\n');
}

const mostMissing = 5;

/** What to say beside the whole graph: how to begin, names that lead nowhere, what the drawing leaves out. */
function graphNotes(
  agent: RecursiveSkilledAgent,
  { nodes, edges }: CallGraph,
  { flags, own }: Pick<Invocation, 'flags' | 'own'>,
): readonly string[] {
  const skills = nodes.filter((node) => node.kind === 'skill').filter(({ status }) => status === 'ready');
  const missing = nodes.filter(({ kind }) => kind === 'missing').map(({ name }) => name);
  const isPicture = own['mermaid'] === true || own['dot'] === true;
  const others = skills.filter(({ source }) => source !== 'bundled');
  const drawn = new Set(edges.flatMap(({ from, to }) => (isPicture ? [from, to] : [from])));
  const free = new Set(edges.filter(isFree).map(({ from }) => from));
  const silent = skills.filter(({ name, source }) => source === 'bundled' && !drawn.has(name)).length;
  const notes: string[] = [];
  if (others.length === 0) notes.push(...firstStep(agent, flags));
  else if (others.every(({ name }) => free.has(name))) notes.push(noLists);
  if (missing.length > 0) notes.push(lost(missing));
  if (silent > 0) notes.push(leftOut(silent, isPicture));
  return notes;
}

const noLists =
  'No skill of yours has a list: each may call every other. A list of allowed skills or tools in its file narrows that.';

function isFree({ group }: CallEdge): boolean {
  return group !== undefined && group.rules === undefined && group.except === undefined;
}

/** Boxes also stand for what is only called. */
function leftOut(skills: number, isPicture: boolean): string {
  const which = isPicture ? 'that may call nothing and stand on no list' : 'that may call nothing';
  return `Left out: ${count(skills, 'built-in skill')} ${which}.`;
}

function lost(names: readonly string[]): string {
  const lead = names.length === 1 ? 'leads' : 'lead';
  return `${count(names.length, 'name')} on lists ${lead} to no skill: ${firstOf(names, mostMissing)}.`;
}
