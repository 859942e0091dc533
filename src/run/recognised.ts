import { familyOf } from '../core/family-of.ts';
import type { Skill } from '../core/skill.ts';
import type { Execution } from './execution.ts';
import { reachedAs } from './known-as.ts';

/** The only one of some skills whose family says that words name it in a request to it. */
export function namedIn(execution: Execution, words: string, names: readonly string[]): string | undefined {
  const { lookup } = execution.registry;
  const [only, ...others] = names.filter(
    (name) => recognise(execution, lookup.find(name), words) === 'named',
  );
  return others.length === 0 ? only : undefined;
}

/** Whether the family of a skill knows requests to it by itself. */
export function knowsRequests({ registry }: Execution, name: string): boolean {
  const family = registry.lookup.find(name)?.family;
  return registry.families.some(({ id, recognises }) => id === family && recognises !== undefined);
}

const mostRuns = 10; // that are looked at, as some of them found no skill

/** The skill that worked last in the session of a run, where its family says that words are for it. */
export async function continuedBy(execution: Execution, words: string): Promise<string | undefined> {
  const { kernel, registry, session, runId, top } = execution;
  const runs = await top.busy(() => kernel.store.runs({ session, limit: mostRuns }));
  const last = runs.find(({ id, skill }) => id !== runId && skill !== '');
  const skill = registry.lookup.find(last?.skill ?? '');
  return skill === undefined || recognise(execution, skill, words) === undefined
    ? undefined
    : reachedAs(registry, skill);
}

function recognise(
  { kernel, registry }: Execution,
  skill: Skill | undefined,
  words: string,
): 'named' | 'next' | undefined {
  const family = familyOf(registry.families, skill);
  if (skill === undefined || family?.recognises === undefined) return undefined;
  try {
    return family.recognises(kernel.definitionOf(skill, family), words.trim());
  } catch {
    return undefined; // its file cannot be read any more, so that nothing is for it
  }
}
