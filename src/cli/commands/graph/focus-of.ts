import type { CallGraph } from '../../../agent/call-graph.ts';
import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { Skill } from '../../../core/skill.ts';
import { focusOn, type Focus } from './focus.ts';

/** What is around a skill; undefined for one that is not ready. */
export function focusOf({ skills }: RecursiveSkilledAgent, all: CallGraph, skill: Skill): Focus | undefined {
  if (skill.status !== 'ready') return undefined;
  const name = [skill.name, ...skill.aliases].find((one) => skills.get(one) === skill);
  return name === undefined ? undefined : focusOn(all, name);
}
