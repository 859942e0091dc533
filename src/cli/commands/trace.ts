import { AgentError } from '../../core/error.ts';
import type { RunEvent } from '../../core/event.ts';
import type { RunStatus } from '../../core/run.ts';
import { foldRun } from '../../views/run-tree.ts';
import { timelineOf } from '../../views/timeline.ts';
import { createReasons, whyOf } from '../../views/why.ts';
import type { Command, Invocation } from '../command.ts';
import { findRun, runWord } from '../find-run.ts';
import { eventJson, eventLine, printJson } from '../output/json.ts';
import { drawTimeline } from '../output/timeline.ts';
import { drawTree } from '../output/tree.ts';
import { mustExist, openHistory } from '../run-store.ts';
import type { Terminal } from '../terminal.ts';
import { followRun } from './trace/follow.ts';
import { headOf } from './trace/head.ts';
import { reasonAlone, reasonLines } from './trace/reasons.ts';

/** `skilled trace`: what happened in a run, as a tree, a waterfall, decisions or raw events. */
export const trace: Command = {
  summary: 'Show what happened in a run: its calls, what they cost, what was decided.',
  usage: `Usage: skilled trace <run> [--follow] [--why | --events | --timeline] [--json]

Amounts in the tree are those of a call with all calls below it; its own part stands
in brackets where it differs. The beginning of a run's id is enough, and "last" is
the newest run.

  skilled trace r_5f0c --follow

  --follow    watch it until it ends or waits
  --why       what was decided, and why
  --events    every event as a line of JSON
  --timeline  where the time went, call by call`,
  options: {
    follow: { type: 'boolean' },
    why: { type: 'boolean' },
    events: { type: 'boolean' },
    timeline: { type: 'boolean' },
  },
  mostWords: 1,
  async run(invocation) {
    const { flags, own, words } = invocation;
    const word = runWord(words);
    mustBeOne(own);
    await using agent = openHistory(mustExist(flags, word));
    const { id } = await findRun(agent, word);
    const onEvent = printer(invocation);
    const events =
      own['follow'] === true ? await followRun(agent, id, invocation, onEvent) : await agent.runs.events(id);
    const { status } = await agent.runs.find(id);
    if (onEvent === undefined) print(events, status, invocation);
    else if (own['follow'] !== true) for (const event of events) onEvent(event);
    return 0;
  },
};

/** Prints events, or the decisions in them, as they come; undefined for what can only be shown as a whole. */
function printer({ flags, own, terminal }: Invocation): ((event: RunEvent) => void) | undefined {
  if (flags.json) return undefined;
  if (own['events'] === true) return (event) => terminal.out(eventLine(event));
  if (own['why'] !== true || own['follow'] !== true) return undefined;
  const reasons = createReasons();
  let startedAt: number | undefined;
  return (event) => {
    startedAt ??= event.at;
    const reason = reasons.add(event);
    if (reason !== undefined) printLines(terminal, reasonAlone(reason, startedAt, terminal.width));
  };
}

const views = ['why', 'events', 'timeline'] as const;

function mustBeOne(own: Invocation['own']): void {
  const asked = views.filter((view) => own[view] === true);
  if (asked.length < 2) return;
  throw new AgentError(
    'usage.bad-input',
    `${asked.map((view) => `--${view}`).join(' and ')} are two views.`,
    {
      hint: 'Choose one.',
    },
  );
}

function print(events: readonly RunEvent[], status: RunStatus, { flags, own, terminal }: Invocation): void {
  const tree = foldRun(events);
  const now = tree.endedAt ?? (status === 'running' ? Date.now() : tree.updatedAt);
  if (flags.json) {
    const { runId } = tree;
    if (own['why'] === true) printJson(terminal, { ok: true, runId, reasons: whyOf(events) });
    else if (own['events'] === true) printJson(terminal, { ok: true, runId, events: events.map(eventJson) });
    else if (own['timeline'] === true) printJson(terminal, { ok: true, runId, rows: timelineOf(tree, now) });
    else printJson(terminal, { ok: true, status, run: tree });
    return;
  }
  const { width } = terminal;
  const isInterrupted = status === 'interrupted';
  printLines(
    terminal,
    own['why'] === true
      ? reasonLines(whyOf(events), tree.startedAt, width)
      : own['timeline'] === true
        ? drawTimeline(tree, now, width ?? 100)
        : [headOf(tree, status, now, terminal), ...drawTree(tree, { now, width, terminal, isInterrupted })],
  );
}

function printLines(terminal: Terminal, lines: readonly string[]): void {
  terminal.out(lines.map((line) => `${line}\n`).join(''));
}
