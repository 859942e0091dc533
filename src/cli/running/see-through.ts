import type { RunResult } from '../../core/run.ts';
import { optional } from '../../core/optional.ts';
import { conclude, concludeElsewhere } from './conclude.ts';
import { followElsewhere } from './follow-elsewhere.ts';
import { seeToEnd, type Seen, type Undertaking } from './see-to-end.ts';

/** A run that is to be seen through and told of. */
export interface ToldUndertaking extends Undertaking {
  /** Prints what it came to when it is done, where that is neither its text nor its document. */
  readonly tell?: (result: RunResult) => void;
  /** Says on stderr what else is to be known of it, before it is told what it came to. */
  readonly comment?: (result: RunResult) => void;
}

/** Shows a run until it ends or waits for somebody who is not here, then prints what it came to; returns the exit code. */
export async function seeThrough(undertaking: ToldUndertaking): Promise<number> {
  const { agent, invocation, tell, comment } = undertaking;
  const seen = await seeToEnd(undertaking);
  if (seen.result.status === 'running' && !seen.isInterrupted) return followTaken(undertaking, seen);
  if (isImpatient(seen)) await agent.shutdown({ drainMs: 0 }); // nobody waits for what goes on beside it
  comment?.(seen.result);
  return conclude({ ...seen, ...optional('tell', tell) }, invocation);
}

/** Another process was faster to take the run up, as when it answered the question of this one: follows it to its end. */
async function followTaken(undertaking: ToldUndertaking, { result, known }: Seen): Promise<number> {
  const { agent, invocation } = undertaking;
  const { runId } = result;
  const taken = await agent.runs.find(runId);
  const { tree, known: shown, isStopped } = await followElsewhere(agent, invocation, taken, known);
  if (isStopped) return concludeElsewhere(tree, invocation);
  const { seq } = await agent.runs.find(runId);
  return seeThrough({
    ...undertaking,
    begin: (signal) => agent.runs.resume(runId, { signal }),
    known: Math.min(shown, seq - 1), // the last event says what it came to
  });
}

/** A run that had no more time has none for what it began, such as the preparation of its skill. */
function isImpatient({ isInterrupted, result }: Seen): boolean {
  return isInterrupted || result.error?.code === 'limit.time';
}
