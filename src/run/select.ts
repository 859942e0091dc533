import type { Execution } from './execution.ts';

/** Which skill answers a run: the one that was named. The choice is a fact of the log. */
export async function select(execution: Execution, named: string): Promise<string> {
  const skill = execution.registry.lookup.find(named)?.name ?? named;
  if (execution.journal.events.some(({ type }) => type === 'skill.selected')) return skill;
  await execution.top.busy(() => execution.journal.add('', { type: 'skill.selected', skill, by: 'name' }));
  return skill;
}
