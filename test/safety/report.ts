import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { RunRequest, RunResult } from '../../src/core/run.ts';

/** What a run came to, with all that was recorded of it. */
export interface RecordedRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** The names of the skills that were really called, in order. */
  readonly called: readonly string[];
}

/** Runs a skill until it ends or waits. */
export async function runSkill(agent: RecursiveSkilledAgent, request: RunRequest): Promise<RecordedRun> {
  const result = await agent.run(request).result;
  const events = await agent.runs.events(result.runId);
  const called = events.flatMap((event) => (event.type === 'frame.started' ? [event.skill] : []));
  return { result, events, called };
}

/** The commands that a shell was given in a run, in order. */
export function commandsIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'frame.started' && event.skill === 'bash'
      ? [(event.input as { readonly command: string }).command]
      : [],
  );
}
