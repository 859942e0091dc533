import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { RunRequest, RunResult } from '../../src/core/run.ts';

/** The outcome of a run, with everything that was recorded. */
export interface RecordedRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** The names of the called skills, in order. */
  readonly called: readonly string[];
}

/** Runs a skill until it ends or waits. */
export async function runSkill(agent: RecursiveSkilledAgent, request: RunRequest): Promise<RecordedRun> {
  const result = await agent.run(request).result;
  const events = await agent.runs.events(result.runId);
  const called = events.flatMap((event) => (event.type === 'frame.started' ? [event.skill] : []));
  return { result, events, called };
}

/** Returns the shell commands of a run, in order. */
export function commandsIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'frame.started' && event.skill === 'bash'
      ? [(event.input as { readonly command: string }).command]
      : [],
  );
}
