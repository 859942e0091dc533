import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { defaultSession } from '../../../core/session.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { existingStore } from '../../run-store.ts';

/** Drops the question that the next prompt of a session would answer, and its run with it. */
export async function cancelQuestion(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  session = defaultSession,
): Promise<number> {
  const waiting = existingStore(flags) === undefined ? undefined : await agent.runs.waitingIn(session);
  const cancelled = waiting === undefined ? [] : [waiting.runId];
  for (const id of cancelled) await agent.runs.cancel(id, 'Its question was dropped.');
  if (flags.json) printJson(terminal, { ok: true, cancelled });
  else if (waiting === undefined && !flags.quiet)
    terminal.err(`Nothing waits for an answer in the session ${oneLine(session)}.\n`);
  else for (const id of cancelled) terminal.out(`cancelled ${id}\n`);
  return 0;
}
