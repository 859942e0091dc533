import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { mustExist, openHistory } from '../../run-store.ts';
import { mustName } from './must-name.ts';

/** Ends runs wherever they go on; those that had ended before are only said. */
export async function cancelRuns({ flags, words, terminal }: Invocation): Promise<number> {
  await using agent = openHistory(await mustExist(flags, mustName(words, 'cancel')));
  const cancelled: string[] = [];
  const ended: string[] = [];
  const found = await Promise.all(words.map((word) => agent.runs.find(word)));
  for (const { id } of found) {
    const isOpen = await agent.runs.cancel(id, 'The run was cancelled by "skilled runs cancel".');
    (isOpen ? cancelled : ended).push(id);
  }
  if (flags.json) printJson(terminal, { ok: true, cancelled, ended });
  else {
    for (const id of cancelled) terminal.out(`cancelled ${id}\n`);
    if (!flags.quiet) for (const id of ended) terminal.err(`${id} had ended before.\n`);
  }
  return 0;
}
