import type { Skill } from '../core/skill.ts';
import type { Call } from './call.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { openTarget } from './resolve.ts';

/**
 * What a frame knows from a call that went well, now and whenever it is begun again: a skill that was loaded binds its
 * conversation, and files that were touched bring up the skills that are for them.
 */
export function learn(execution: Execution, caller: Frame, call: Call): void {
  if (caller.provided.has(call.name)) return;
  const skill = execution.registry.lookup.find(call.name);
  if (call.options.through === 'load') learnTools(execution, caller, call, skill);
  for (const file of touchedBy(execution, call, skill)) caller.touched.add(file);
}

/** What the log says was loaded binds; what it allows counts only while the skill is the one that was loaded. */
function learnTools(
  { state, kernel }: Execution,
  caller: Frame,
  { id }: Call,
  skill: Skill | undefined,
): void {
  const started = state.frames.get(id)?.started;
  if (started === undefined) return;
  const { skill: name, digest, tools } = started;
  const file = skill?.file ?? '';
  if (tools !== undefined)
    caller.loaded.set(JSON.stringify([name, digest]), { skill: { name, file }, tools });
  if (skill !== undefined && kernel.digestOf(skill) === digest) caller.active.add(skill);
}

/** Only tools made in code know their files. */
function touchedBy(execution: Execution, { input }: Call, skill: Skill | undefined): readonly string[] {
  if (skill?.made === undefined) return [];
  try {
    const { family, definition } = openTarget(execution, skill);
    return family.permission?.(definition).touches?.(input) ?? [];
  } catch {
    return []; // the call went well: a tool that cannot tell its files, or is not there by now, changes nothing of that
  }
}
