import type { Call } from './call.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { openTarget } from './resolve.ts';

/**
 * What a frame knows from a call that went well, now and whenever it is begun again: a skill that was loaded binds its
 * conversation, and files that were touched bring up the skills that are for them.
 */
export function learn(execution: Execution, caller: Frame, { name, input, options }: Call): void {
  const skill = execution.registry.lookup.find(name);
  if (skill === undefined) return;
  if (options.through === 'load') caller.active.add(skill);
  if (skill.made === undefined) return; // only tools made in code know their files
  const { family, definition } = openTarget(execution, skill);
  for (const file of family.permission?.(definition).touches?.(input) ?? []) caller.touched.add(file);
}
