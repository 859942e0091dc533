import type { RunEvent } from '../../../core/index.ts';
import { createReasons, createRunFold } from '../../../views/index.ts';
import {
  eventLine,
  mustBeOneView,
  pasteable,
  printView,
  reasonAlone,
  type CliCommand,
  type Invocation,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { findRun, readRunArg } from '../../runs/run-id.ts';
import { mustRead } from '../../runs/run-store.ts';
import { createRunView } from '../../runs/run-view.ts';

/** `skilled trace`: shows what happened in a run, as a tree, a waterfall, decisions or raw events. */
export const trace: CliCommand = {
  summary: 'Show what happened in a run: calls, costs and decisions.',
  usage: `Usage: skilled trace <run> [--follow] [--why | --events | --timeline] [--json]

Amounts in the tree include all calls below a call; its own share is in brackets if it
differs. The start of a run's id is enough, and "last" is the newest run.

  skilled trace r_5f0c --follow

  --follow    watch the run until it ends or waits
  --why       the decisions, and why
  --events    every event as a line of JSON
  --timeline  where the time went, call by call`,
  options: {
    follow: { type: 'boolean' },
    why: { type: 'boolean' },
    events: { type: 'boolean' },
    timeline: { type: 'boolean' },
  },
  maxArgs: 1,
  async run(invocation) {
    const { own, args } = invocation;
    const runArg = readRunArg(args);
    mustBeOneView(own, ['why', 'events', 'timeline']);
    await using agent = mustRead(invocation, runArg);
    const { id } = await findRun(agent, runArg);
    const onEvent = printer(invocation);
    const events =
      own['follow'] === true ? await followRun(agent, id, invocation, onEvent) : await agent.runs.events(id);
    const { status } = await agent.runs.find(id);
    if (onEvent === undefined) printView(events, status, invocation);
    else if (own['follow'] !== true) for (const event of events) onEvent(event);
    return 0;
  },
};

/**
 * Returns a function that prints events, or the decisions in them, as they arrive. Returns undefined if the
 * selected view needs the complete log.
 */
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

function printLines(terminal: Terminal, lines: readonly string[]): void {
  terminal.out(lines.map((line) => `${line}\n`).join(''));
}

/**
 * Follows a run until it ends, waits or is found to be interrupted, and returns its events. Meanwhile, draws
 * the run's tree if possible.
 */
async function followRun(
  agent: RecursiveSkilledAgent,
  runId: string,
  invocation: Invocation,
  onEvent?: (event: RunEvent) => void,
): Promise<readonly RunEvent[]> {
  const { flags, terminal } = invocation;
  const say = (line: string): void => {
    if (!flags.quiet) terminal.err(`${pasteable(line, terminal)}\n`);
  };
  if (onEvent === undefined && terminal.live === undefined && !flags.json)
    say('Cannot draw on this terminal; the output follows when the run ends or waits.');
  const quiet = flags.quiet || onEvent !== undefined; // Do not draw a tree between the printed events.
  const events: RunEvent[] = [];
  {
    using view = createRunView({ ...invocation, flags: { ...flags, quiet } });
    const fold = createRunFold();
    for await (const event of agent.runs.follow(runId)) {
      events.push(event);
      fold.add(event);
      onEvent?.(event);
      view.see(event, fold.tree);
    }
  }
  const { status } = await agent.runs.find(runId);
  if (status === 'interrupted') say(`The run was interrupted. Resume it: \`skilled resume ${runId}\``);
  return events;
}
