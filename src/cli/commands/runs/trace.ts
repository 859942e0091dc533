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
import { findRun, runWord } from '../../runs/run-id.ts';
import { mustRead } from '../../runs/run-store.ts';
import { createRunView } from '../../runs/run-view.ts';

/** `skilled trace`: what happened in a run, as a tree, a waterfall, decisions or raw events. */
export const trace: CliCommand = {
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
    const { own, words } = invocation;
    const word = runWord(words);
    mustBeOneView(own, ['why', 'events', 'timeline']);
    await using agent = mustRead(invocation, word);
    const { id } = await findRun(agent, word);
    const onEvent = printer(invocation);
    const events =
      own['follow'] === true ? await followRun(agent, id, invocation, onEvent) : await agent.runs.events(id);
    const { status } = await agent.runs.find(id);
    if (onEvent === undefined) printView(events, status, invocation);
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

function printLines(terminal: Terminal, lines: readonly string[]): void {
  terminal.out(lines.map((line) => `${line}\n`).join(''));
}

/** The events of a run until it ends, waits, or turns out to be interrupted; its tree is drawn meanwhile where it can be. */
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
    say('This is no terminal that can be drawn on: the answer comes when the run ends or waits.');
  const quiet = flags.quiet || onEvent !== undefined; // whoever prints events draws no tree between them
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
  if (status === 'interrupted')
    say(`Nobody works on this run any more. Take it up: \`skilled resume ${runId}\``);
  return events;
}
