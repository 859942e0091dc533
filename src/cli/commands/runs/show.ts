import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentError, optional, reasonOf, type ErrorData, type RunSummary } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import {
  durationText,
  foldRun,
  moneyText,
  resultOf,
  tokensText,
  usageOf,
  type Branch,
  type NamedUsage,
  type RunTree,
  type RunUsage,
} from '../../../views/index.ts';
import {
  agoText,
  cutTo,
  eventJson,
  eventLine,
  oneLine,
  paint,
  pasteable,
  printJson,
  runColors,
  runJson,
  type Invocation,
  type Terminal,
} from '../../command-kit.ts';
import { waitingLines } from '../../runs/questions.ts';
import { findRun, mustNameOne } from '../../runs/run-id.ts';
import { isForeignRun, mustRead } from '../../runs/run-store.ts';

/** What one run came to: result, question, use, counts, and where it failed. */
export async function showRun(invocation: Invocation): Promise<number> {
  const { flags, words, terminal } = invocation;
  const word = mustNameOne(words, 'show');
  await using agent = mustRead(invocation, word);
  const run = await findRun(agent, word);
  const events = await agent.runs.events(run.id);
  const tree = foldRun(events);
  const usage = usageOf(events);
  if (flags.json) printJson(terminal, { ok: true, run: documentOf(run, tree, usage) });
  else {
    terminal.out(describeRun(run, tree, usage, terminal));
    const isHistory = await isForeignRun(flags, run.id);
    const lines = isHistory ? [] : waitingLines(run.id, tree.questions, invocation);
    if (lines.length > 0) terminal.out(`\n${lines.join('\n')}\n`);
  }
  return 0;
}

function documentOf(run: RunSummary, tree: RunTree, usage: RunUsage): Record<string, unknown> {
  const { text, value, variables, question, error } = resultOf(tree);
  return {
    ...runJson(run),
    ...optional('prompt', tree.prompt),
    input: tree.input,
    text,
    ...optional('value', value),
    ...optional('variables', variables),
    ...optional('question', question),
    ...optional('error', error),
    ...optional('rerunOf', tree.rerunOf),
    counts: tree.counts,
    usage,
    failures: failuresIn(tree),
  };
}

/** The events of a run as lines of JSON, on stdout or in a file that only its owner can read. */
export async function exportRun({ flags, own, words, terminal }: Invocation): Promise<number> {
  const word = mustNameOne(words, 'export');
  await using agent = mustRead({ flags, terminal }, word);
  const { id } = await findRun(agent, word);
  const events = await agent.runs.events(id);
  const { output } = own;
  if (typeof output !== 'string' || output === '-') {
    if (flags.json) printJson(terminal, { ok: true, runId: id, events: events.map(eventJson) });
    else for (const event of events) terminal.out(eventLine(event));
    return 0;
  }
  const file = resolve(flags.cwd, output);
  write(file, events.map(eventLine).join(''));
  if (flags.json) printJson(terminal, { ok: true, runId: id, file, written: events.length });
  else if (!flags.quiet) terminal.err(`${count(events.length, 'event')} written to ${oneLine(file)}\n`);
  return 0;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (thrown) {
    throw new AgentError('usage.not-found', `${file} cannot be written: ${reasonOf(thrown)}.`, {
      hint: 'Name a file in a folder that is there and can be written.',
      cause: thrown,
    });
  }
}

const mostLetters = 2_000;

/** One run as facts in lines, safe to print. */
function describeRun(run: RunSummary, tree: RunTree, usage: RunUsage, terminal: Terminal): string {
  const facts: readonly (readonly [string, string])[] = [
    ['status', paint(run.status, runColors[run.status], terminal)],
    ['skill', oneLine(run.skill)],
    ['prompt', cut(tree.prompt ?? '')],
    ['input', tree.input === tree.prompt ? '' : cut(JSON.stringify(tree.input))],
    ['session', oneLine(run.session)],
    ['prepares', oneLine(run.prepares ?? '')],
    ['rerun of', tree.rerunOf ?? ''],
    ['started', `${new Date(run.startedAt).toISOString()} (${agoText(Date.now() - run.startedAt)})`],
    ['took', durationText(run.updatedAt - run.startedAt)],
    ['worked', durationText(usage.total.activeMs)],
    ['calls', callsText(tree)],
    ['used', usedText(usage.total)],
    ['owner', oneLine(run.owner)],
    ['answer', tree.output?.status === 'done' ? cut(tree.output.text) : ''],
    [
      'error',
      tree.output?.status === 'failed' ? cut(`${tree.output.error.code}: ${tree.output.error.message}`) : '',
    ],
    [
      'hint',
      tree.output?.status === 'failed' ? pasteable(oneLine(tree.output.error.hint ?? ''), terminal) : '',
    ],
  ];
  const shown = facts.filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  const head = paint(run.id, 'bold', terminal);
  const lines = shown.map(([key, value]) => `${key.padEnd(width)}  ${value}`);
  return `${[head, '', ...lines, ...partsOf(usage), ...failureLines(failuresIn(tree))].join('\n')}\n`;
}

function cut(text: string): string {
  return cutTo(oneLine(text), mostLetters);
}

function callsText({ counts }: RunTree): string {
  const { frames, leafCalls, refusals, modelSteps, steps } = counts;
  const parts = [
    count(frames + leafCalls, 'call'),
    ...(refusals > 0 ? [`${refusals} refused`] : []),
    ...(modelSteps > 0 ? [count(modelSteps, 'model step')] : []),
    ...(steps > 0 ? [count(steps, 'step')] : []),
  ];
  return parts.join(', ');
}

function usedText(usage: RunUsage['total']): string {
  const tokens = usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : [];
  return [...tokens, ...(usage.cost === undefined ? [] : [moneyText(usage.cost)])].join(', ');
}

function partsOf({ bySkill, byModel }: RunUsage): readonly string[] {
  const line = (row: NamedUsage): string => {
    const parts = [count(row.calls, 'call'), durationText(row.activeMs), usedText(row)];
    return `  ${oneLine(row.name)}: ${parts.filter((part) => part !== '').join(', ')}`;
  };
  const section = (title: string, rows: readonly NamedUsage[]): readonly string[] =>
    rows.length === 0 ? [] : ['', title, ...rows.map(line)];
  return [...section('By skill:', bySkill.length > 1 ? bySkill : []), ...section('By model:', byModel)];
}

function failureLines(failures: readonly Failure[]): readonly string[] {
  if (failures.length === 0) return [];
  const line = ({ path, error }: Failure): string => {
    const why = error === undefined ? 'cut off' : `${error.code}: ${error.message}`;
    return `  ${oneLine(path.join(' › '))}: ${cut(why)}`;
  };
  return ['', 'Failed:', ...failures.map(line)];
}

/** A call that failed or was refused. */
interface Failure {
  /** From the first skill down to the one that failed. */
  readonly path: readonly string[];
  /** Absent for a call that was cut off. */
  readonly error?: ErrorData;
}

/** Where a run failed, each caller before its calls; also calls whose callers went on. Pure. */
function failuresIn(tree: RunTree): readonly Failure[] {
  return [...below(tree, [])];
}

function* below({ children }: Pick<Branch, 'children'>, above: readonly string[]): Generator<Failure> {
  for (const node of children) {
    const path = [...above, node.skill];
    if (node.kind === 'refused') yield { path, error: node.error };
    else {
      const { output } = node;
      if (output?.status === 'failed') yield { path, error: output.error };
      else if (node.status === 'failed') yield { path };
      yield* below(node, path);
    }
  }
}
