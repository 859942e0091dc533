import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { RunEvent } from '../../../core/event.ts';
import { createRunFold } from '../../../views/run-tree.ts';
import type { Invocation } from '../../command.ts';
import { sameAgain } from '../../same-again.ts';
import { createRunView } from '../../running/run-view.ts';

const silence = 2_000; // milliseconds after which somebody looks whether the run is still worked on

/** The events of a run until it ends, waits, or turns out to be interrupted; its tree is drawn meanwhile where it can be. */
export async function followRun(
  agent: RecursiveSkilledAgent,
  runId: string,
  invocation: Invocation,
  onEvent?: (event: RunEvent) => void,
): Promise<readonly RunEvent[]> {
  const { flags, terminal } = invocation;
  const quiet = flags.quiet || onEvent !== undefined; // whoever prints events draws no tree between them
  using view = createRunView({ ...invocation, flags: { ...flags, quiet } });
  const fold = createRunFold();
  const events: RunEvent[] = [];
  const coming = agent.runs.follow(runId);
  for (let next = coming.next(); ; next = coming.next()) {
    while (!(await isSettled(next))) {
      const { status } = await agent.runs.find(runId);
      if (status !== 'interrupted') continue;
      if (!flags.quiet) {
        terminal.err(
          `Nobody works on this run any more. Take it up: skilled resume ${runId}${sameAgain(flags)}\n`,
        );
      }
      return events;
    }
    const { done, value: event } = await next;
    if (done === true) return events;
    events.push(event);
    fold.add(event);
    onEvent?.(event);
    view.see(event, fold.tree);
  }
}

/** Whether something settles before the silence is over. */
async function isSettled(next: Promise<unknown>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, silence, false);
  try {
    return await Promise.race([next.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
