import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  AgentError,
  counted,
  optional,
  reasonOf,
  shownSkillName,
  type ErrorData,
  type RunSummary,
} from '../../../core/index.ts';
import {
  durationText,
  foldRun,
  moneyText,
  resultOf,
  tokensText,
  sumUsage,
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
  fitRows,
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

/** Prints one run: its result, question, usage, counts and failures. */
export async function showRun(invocation: Invocation): Promise<number> {
  const { flags, args, terminal } = invocation;
  const runArg = mustNameOne(args, 'show');
  await using agent = mustRead(invocation, runArg);
  const run = await findRun(agent, runArg);
  const events = await agent.runs.events(run.id);
  const tree = foldRun(events);
  const usage = sumUsage(events);
  if (flags.json) printJson(terminal, { ok: true, run: documentOf(run, tree, usage) });
  else {
    terminal.out(fitRows(describeRun(run, tree, usage, terminal), terminal));
    const isHistory = await isForeignRun(flags, run.id);
    const lines = isHistory ? [] : waitingLines(run.id, tree.questions, invocation);
    if (lines.length > 0) terminal.out(fitRows(`\n${lines.join('\n')}\n`, terminal));
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

/** Writes a run's events as lines of JSON to stdout, or to a file that only its owner can read. */
export async function exportRun({ flags, own, args, terminal }: Invocation): Promise<number> {
  const runArg = mustNameOne(args, 'export');
  await using agent = mustRead({ flags, terminal }, runArg);
  const { id } = await findRun(agent, runArg);
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
  else if (!flags.quiet) terminal.err(`${counted(events.length, 'event')} written to ${oneLine(file)}\n`);
  return 0;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (thrown) {
    throw new AgentError('usage.not-found', `Cannot write ${file}: ${reasonOf(thrown)}.`, {
      hint: 'Choose a file in an existing, writable folder.',
      cause: thrown,
    });
  }
}

const maxCharacters = 2_000;

/** Describes one run as text that is safe to print. */
function describeRun(run: RunSummary, tree: RunTree, usage: RunUsage, terminal: Terminal): string {
  const facts: readonly (readonly [string, string])[] = [
    ['status', paint(run.status, runColors[run.status], terminal)],
    ['skill', oneLine(shownSkillName(run.skill))],
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
  return cutTo(oneLine(text), maxCharacters);
}

function callsText({ counts }: RunTree): string {
  const { frames, leafCalls, refusals, modelSteps, steps } = counts;
  const parts = [
    counted(frames + leafCalls, 'call'),
    ...(refusals > 0 ? [`${refusals} refused`] : []),
    ...(modelSteps > 0 ? [counted(modelSteps, 'model step')] : []),
    ...(steps > 0 ? [counted(steps, 'step')] : []),
  ];
  return parts.join(', ');
}

function usedText(usage: RunUsage['total']): string {
  const tokens = usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : [];
  return [...tokens, ...(usage.cost === undefined ? [] : [moneyText(usage.cost)])].join(', ');
}

function partsOf({ bySkill, byModel }: RunUsage): readonly string[] {
  const line = (row: NamedUsage): string => {
    const parts = [counted(row.calls, 'call'), durationText(row.activeMs), usedText(row)];
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
  /** The skills on the call path, from the run's first skill to the skill that failed. */
  readonly path: readonly string[];
  /** The call's error. Absent if the call was interrupted. */
  readonly error?: ErrorData;
}

/**
 * Returns the failed calls in a run, including those whose callers continued. A caller comes before the calls
 * that it made. Pure.
 */
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
