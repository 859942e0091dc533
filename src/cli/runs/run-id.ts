import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { AgentError, type RunSummary } from '../../core/index.ts';

/** Shortens an id to a prefix that is unique in all but the largest stores. */
export function shortId(id: string): string {
  return id.slice(0, 10);
}

const shortest = 8;

/** Shortens the ids to the smallest common length at which they are still distinct. Pure. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const longest = Math.max(shortest, ...ids.map((id) => id.length));
  for (let length = shortest; length < longest; length++) {
    const cut = ids.map((id) => id.slice(0, length));
    if (new Set(cut).size === new Set(ids).size) return cut;
  }
  return ids;
}

/** Returns the first run argument. Throws `usage.bad-input` if there is none. */
export function mustName(args: readonly string[], action: string): string {
  return readRunArg(args, `Run \`skilled runs ${action} <run>\`.`);
}

/** Returns the only run argument. Throws `usage.bad-input` if there is none or more than one. */
export function mustNameOne(args: readonly string[], action: string): string {
  const extra = args[1];
  if (extra === undefined) return mustName(args, action);
  throw new AgentError('usage.bad-input', `Unexpected argument "${extra}".`, {
    hint: `Run \`skilled runs ${action} <run>\`.`,
  });
}

/** The argument that refers to the newest run. */
const newest = 'last';

/** Finds a run by its id, an id prefix, or `last`; throws `usage.not-found` if there is no match. */
export async function findRun(agent: RecursiveSkilledAgent, runArg: string): Promise<RunSummary> {
  if (runArg !== newest) return agent.runs.find(runArg);
  const [run] = await agent.runs.list({ limit: 1 });
  if (run !== undefined) return run;
  throw new AgentError('usage.not-found', 'There are no runs yet.', { hint: 'List them: `skilled runs`' });
}

/** Returns the argument that names a run; throws `usage.bad-input` if there is none. */
export function readRunArg(args: readonly string[], hint = 'List them: `skilled runs`'): string {
  const runArg = args[0]?.trim() ?? '';
  if (runArg !== '') return runArg;
  throw new AgentError('usage.bad-input', 'Missing run id.', { hint });
}
