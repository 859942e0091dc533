import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { RunRequest } from '../../../core/run.ts';
import type { Invocation } from '../../command.ts';
import { conclude } from '../../running/conclude.ts';
import { seeToEnd } from '../../running/see-to-end.ts';

/** What a request in between has in common with the one whose question waits. */
export interface Between {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly bounds: Omit<RunRequest, 'skill' | 'input' | 'prompt'>;
}

/** Carries out a request that was typed while a question waits, and prints what it came to; who asks is asked again afterwards. */
export async function runInBetween(between: Between, prompt: string): Promise<void> {
  const { agent, invocation, bounds } = between;
  const seen = await seeToEnd({
    ...{ agent, invocation, awaitsPreparations: true },
    begin: (signal) => agent.run({ prompt, ...bounds, signal }),
    instead: (words) => runInBetween(between, words),
  });
  const { stillOpen: _told, ...result } = seen.result;
  conclude({ ...seen, result }, invocation);
}
