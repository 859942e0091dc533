import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { count } from '../../doctor/report.ts';
import type { Invocation } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { settlesWithin } from '../settles-within.ts';
import { createPreparationTeller, worthAWord } from './preparation-teller.ts';

/** Resolves when no skill is being prepared any more, or with the signal; what takes its time is said on stderr. */
export async function awaitPreparations(
  agent: Pick<RecursiveSkilledAgent, 'runs' | 'pendingPreparations' | 'awaitPreparations'>,
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
  signal: AbortSignal,
): Promise<void> {
  const stopped = Promise.withResolvers<undefined>();
  const stop = (): void => stopped.resolve(undefined);
  signal.addEventListener('abort', stop);
  const settled = Promise.race([agent.awaitPreparations(), stopped.promise]);
  try {
    if (signal.aborted || (await settlesWithin(settled, worthAWord))) return;
    const { flags, terminal } = invocation;
    const pending = agent.pendingPreparations;
    const names = pending.map(({ skill }) => oneLine(skill)).join(', ');
    if (pending.length > 0 && !flags.json && !flags.quiet)
      terminal.err(`Preparing ${count(pending.length, 'skill')}: ${names} …\n`);
    await using teller = createPreparationTeller(agent, invocation);
    for (const { runId } of pending) teller.follow(runId);
    await settled;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
