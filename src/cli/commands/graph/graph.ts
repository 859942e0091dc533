import { callGraphOf, type CallEdge, type CallGraph } from '../../../agent/call-graph.ts';
import { toolReachOf } from '../../../agent/tool-reach.ts';
import { AgentError, counted } from '../../../core/index.ts';
import {
  fitRows,
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
import {
  boundSentence,
  callerSentences,
  firstOf,
  focusOf,
  focusedGraph,
  toolText,
  type Focus,
} from './focus.ts';
import { dotOf, mermaidOf, pictureAround, pictureOf } from './picture.ts';

/** `skilled graph`: shows which skills each skill may call, according to the lists that runs enforce. */
export const graph: CliCommand = {
  summary: 'Show which skills each skill may call.',
  usage: `Usage: skilled graph [skill] [--mermaid | --dot | --json]

A skill with a list of allowed skills may call only those. Without a list it may call
every other skill that a model may choose, if its list of tools allows that. The section
"Allowed Tools" limits the tools of a skill and of everything below it. Name a skill to see
everything that it may call, the tools within its reach, and its callers.

  skilled graph
  skilled graph daily --mermaid

  --mermaid  as a Mermaid flowchart
  --dot      as a Graphviz graph`,
  options: { mermaid: { type: 'boolean' }, dot: { type: 'boolean' } },
  maxArgs: 1,
  async run(invocation) {
    const { flags, args, terminal } = invocation;
    mustBeOneForm(invocation);
    await using agent = await openAgent(flags);
    const all = callGraphOf(agent.skills.snapshot());
    const focus = args[0] === undefined ? undefined : mustFocus(agent, all, args[0]);
    if (flags.json) {
      const shown = focus === undefined ? all : focusedGraph(focus, all);
      const reach = focus && toolReachOf(agent.skills.snapshot(), agent.skills.resolve(focus.skill.name));
      printJson(terminal, { ok: true, ...(focus && { skill: focus.skill.name, reach }), ...shown });
      return 0;
    }
    terminal.out(
      fitRows(
        focus === undefined ? wholeText(all, invocation) : focusText(focus, all, invocation, agent),
        terminal,
      ),
    );
    if (!flags.quiet && focus === undefined)
      for (const line of graphNotes(agent, all, invocation)) terminal.err(`${pasteable(line, terminal)}\n`);
    return 0;
  },
};

function mustBeOneForm({ flags, own }: Invocation): void {
  const forms = [...['mermaid', 'dot'].filter((form) => own[form] === true), ...(flags.json ? ['json'] : [])];
  if (forms.length < 2) return;
  const given = forms.map((form) => `--${form}`).join(' and ');
  throw new AgentError('usage.bad-input', `${given} are different output formats.`, {
    hint: 'Use only one of these flags.',
  });
}

/**
 * Finds a skill by any of its names. Throws `skill.not-found`, or `skill.unavailable` if the skill is not
 * ready.
 */
function mustFocus(agent: RecursiveSkilledAgent, all: CallGraph, name: string): Focus {
  const found = agent.skills.resolve(name);
  const focus = focusOf(agent, all, found);
  if (focus !== undefined) return focus;
  throw new AgentError(
    'skill.unavailable',
    `"${name}" is ${found.status}; only ready skills can call others.`,
    {
      hint: `\`skilled show ${name}\` shows why.`,
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

function focusText(
  focus: Focus,
  all: CallGraph,
  { own, terminal }: Invocation,
  agent: RecursiveSkilledAgent,
): string {
  if (own['mermaid'] === true) return mermaidOf(pictureAround(focus, all));
  if (own['dot'] === true) return dotOf(pictureAround(focus, all));
  const { onlyThrough, allowedTools, name } = focus.skill;
  const { tools } = toolReachOf(agent.skills.snapshot(), agent.skills.resolve(name));
  const owners = onlyThrough?.map(oneLine).join(', ');
  const sentences = [
    ...(allowedTools === undefined ? [] : [boundSentence(allowedTools)]),
    `Tools within reach, directly or through other skills: ${toolText(tools)}.`,
    ...callerSentences(focus),
    ...(owners === undefined
      ? []
      : [`If a prompt does not name a skill, this skill can be reached only through ${owners}.`]),
  ];
  const width = terminal.width ?? Infinity;
  const below = sentences.flatMap((sentence) => wrapTo(sentence.split(' '), ' ', width));
  return [...drawTree(focus, terminal.width), '', ...below, ''].join('\n');
}

const maxMissing = 5;

/** Returns notes on the whole graph: how to get started, names that match no skill, and omitted skills. */
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
  'None of your skills lists allowed skills, so each skill may call all others. To restrict a skill, list allowed skills or tools in its file.';

function isFree({ group }: CallEdge): boolean {
  return group !== undefined && group.rules === undefined && group.except === undefined;
}

/**
 * Reports how many built-in skills were omitted. Mermaid and DOT output includes built-in skills that others
 * may call.
 */
function leftOut(skills: number, isPicture: boolean): string {
  const which = isPicture ? 'that may call nothing and are on no list' : 'that may call nothing';
  return `Left out: ${counted(skills, 'built-in skill')} ${which}.`;
}

function lost(names: readonly string[]): string {
  const lead = names.length === 1 ? 'matches' : 'match';
  return `${counted(names.length, 'name')} in skill lists ${lead} no skill: ${firstOf(names, maxMissing)}.`;
}
