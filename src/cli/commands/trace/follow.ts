import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { RunEvent } from '../../../core/event.ts';
import { createRunFold } from '../../../views/run-tree.ts';
import type { Invocation } from '../../command.ts';
import { pasteable } from '../../output/pasteable.ts';
import { createRunView } from '../../running/run-view.ts';

/** The events of a run until it ends, waits, or turns out to be interrupted; its tree is drawn meanwhile where it can be. */
export async function followRun(
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
