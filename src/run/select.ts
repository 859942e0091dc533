import type { Execution } from './execution.ts';
import { reachedAs } from './known-as.ts';

/** Which skill answers a run: the one that was named. The choice is a fact of the log, and stays when names change their meaning. */
export async function select(execution: Execution, named: string): Promise<string> {
  const { journal, registry, top } = execution;
  const before = journal.events.find((event) => event.type === 'skill.selected');
  if (before?.type === 'skill.selected') return before.skill;
  const found = registry.lookup.find(named);
  const skill = found === undefined ? named : reachedAs(registry, found);
  await top.busy(() => journal.add('', { type: 'skill.selected', skill, by: 'name' }));
  return skill;
}
