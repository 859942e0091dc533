import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { AgentError } from '../core/error.ts';
import type { RunSummary } from '../core/store.ts';

/** The word that stands for the newest run. */
const newest = 'last';

/** The run that a word names: an id, its beginning, or `last`; throws `usage.not-found`. */
export async function findRun(agent: RecursiveSkilledAgent, word: string): Promise<RunSummary> {
  if (word !== newest) return agent.runs.find(word);
  const [run] = await agent.runs.list({ limit: 1 });
  if (run !== undefined) return run;
  throw new AgentError('usage.not-found', 'There is no run yet.', { hint: 'List them: `skilled runs`' });
}

/** The word by which a command line names a run; `usage.bad-input` when it names none. */
export function runWord(words: readonly string[], hint = 'List them: `skilled runs`'): string {
  const word = words[0]?.trim() ?? '';
  if (word !== '') return word;
  throw new AgentError('usage.bad-input', 'Name a run.', { hint });
}
