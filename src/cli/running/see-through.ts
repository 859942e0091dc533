import type { RunResult } from '../../core/run.ts';
import { optional } from '../../core/collections.ts';
import { sayUnmatchedRules } from '../say-findings.ts';
import { conclude } from './conclude.ts';
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
  sayUnmatchedRules(agent, invocation);
  const seen = await seeToEnd(undertaking);
  if (isImpatient(seen)) await agent.shutdown({ drainMs: 0 }); // nobody waits for what goes on beside it
  comment?.(seen.result);
  return conclude({ ...seen, ...optional('tell', tell) }, invocation);
}

/** A run that had no more time has none for what it began, such as the preparation of its skill. */
function isImpatient({ isInterrupted, result }: Seen): boolean {
  return isInterrupted || result.error?.code === 'limit.time';
}
