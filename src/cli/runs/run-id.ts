import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { AgentError, type RunSummary } from '../../core/index.ts';

/** The beginning of an id, long enough to be the only one of its kind in all but the largest stores. */
export function shortId(id: string): string {
  return id.slice(0, 10);
}

const shortest = 8;

/** The beginnings of ids, as short as they can be told apart. Pure. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const longest = Math.max(shortest, ...ids.map((id) => id.length));
  for (let length = shortest; length < longest; length++) {
    const cut = ids.map((id) => id.slice(0, length));
    if (new Set(cut).size === new Set(ids).size) return cut;
  }
  return ids;
}

/** The first of the runs that a command line names; `usage.bad-input` when it names none. */
export function mustName(words: readonly string[], action: string): string {
  return runWord(words, `Write \`skilled runs ${action} <run>\`.`);
}

/** Like `mustName`, for what is done with one run at a time. */
export function mustNameOne(words: readonly string[], action: string): string {
  const extra = words[1];
  if (extra === undefined) return mustName(words, action);
  throw new AgentError('usage.bad-input', `"${extra}" is one word too many.`, {
    hint: `Write \`skilled runs ${action} <run>\`.`,
  });
}

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
