import { AgentError } from '../../../core/error.ts';
import type { RunEvent } from '../../../core/event.ts';
import type { RunStatus } from '../../../core/run.ts';
import { foldRun } from '../../../views/run-tree.ts';
import { timelineOf } from '../../../views/timeline.ts';
import { whyOf } from '../../../views/why.ts';
import type { Invocation } from '../../command.ts';
import { eventJson, eventLine, printJson } from '../../output/json.ts';
import { drawTimeline } from '../../output/timeline.ts';
import { drawTree } from '../../output/tree.ts';
import { headOf } from './head.ts';
import { reasonLines } from './reasons.ts';

/** Prints a log as the view that the flags ask for, the tree unless one does; as one document with `--json`. */
export function printView(events: readonly RunEvent[], status: RunStatus, invocation: Invocation): void {
  if (invocation.flags.json) printDocument(events, status, invocation);
  else printText(events, status, invocation);
}

function printDocument(events: readonly RunEvent[], status: RunStatus, { own, terminal }: Invocation): void {
  const tree = foldRun(events);
  const { runId } = tree;
  if (own['why'] === true) printJson(terminal, { ok: true, runId, reasons: whyOf(events) });
  else if (own['events'] === true) printJson(terminal, { ok: true, runId, events: events.map(eventJson) });
  else if (own['timeline'] === true)
    printJson(terminal, { ok: true, runId, rows: timelineOf(tree, nowOf(tree, status)) });
  else printJson(terminal, { ok: true, status, run: tree });
}

function printText(events: readonly RunEvent[], status: RunStatus, { own, terminal }: Invocation): void {
  if (own['events'] === true) return terminal.out(events.map(eventLine).join(''));
  const tree = foldRun(events);
  const now = nowOf(tree, status);
  const { width } = terminal;
  const isInterrupted = status === 'interrupted';
  const lines =
    own['why'] === true
      ? reasonLines(whyOf(events), tree.startedAt, width)
      : own['timeline'] === true
        ? drawTimeline(tree, now, width ?? 100)
        : [headOf(tree, status, now, terminal), ...drawTree(tree, { now, width, terminal, isInterrupted })];
  terminal.out(lines.map((line) => `${line}\n`).join(''));
}

function nowOf({ endedAt, updatedAt }: ReturnType<typeof foldRun>, status: RunStatus): number {
  return endedAt ?? (status === 'running' ? Date.now() : updatedAt);
}

/** Throws `usage.bad-input` when more than one of these views is asked for. */
export function mustBeOneView(own: Invocation['own'], views: readonly string[]): void {
  const asked = views.filter((view) => own[view] === true);
  if (asked.length < 2) return;
  throw new AgentError(
    'usage.bad-input',
    `${asked.map((view) => `--${view}`).join(' and ')} are two views.`,
    { hint: 'Choose one.' },
  );
}
