import type { Execution } from './execution.ts';
import { reachedAs } from './known-as.ts';

const mostRuns = 10; // that are looked at, as some of them found no skill

/** The skill that worked last in the session of a run, where its family says that words are for it. */
export async function continuedSkill(execution: Execution, words: string): Promise<string | undefined> {
  const { kernel, registry, session, runId, top } = execution;
  const runs = await top.busy(() => kernel.store.runs({ session, limit: mostRuns }));
  const last = runs.find(({ id, skill }) => id !== runId && skill !== '');
  const skill = last === undefined ? undefined : registry.lookup.find(last.skill);
  const family = registry.families.find(({ id }) => id === skill?.family);
  if (skill === undefined || family?.continues === undefined) return undefined;
  try {
    const isMeant = family.continues(kernel.definitionOf(skill, family), words.trim());
    return isMeant ? reachedAs(registry, skill) : undefined;
  } catch {
    return undefined; // its file cannot be read any more, so that nothing is for it
  }
}
