import {
  AgentError,
  isForeign,
  parseRules,
  ruleAgainst,
  rulesCover,
  type Act,
  type CallOptions,
  type Skill,
} from '../../core/index.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { knownAs, toolLists, type ToolList } from './tool-lists.ts';

/**
 * Throws `policy.denied` for a skill that its caller may not call: an explicit list is the whole list, beside what the
 * caller was provided with; without one, everything may be called.
 */
export function checkAllowList(
  { registry }: Execution,
  { skill: caller, provided }: Frame,
  skill: Skill,
): void {
  const allowed = caller?.card.allowedSkills;
  if (caller === undefined || allowed === undefined) return;
  if (provided.get(skill.name)?.skill === skill) return;
  if (allowed.some((name) => registry.lookup.find(name) === skill)) return;
  throw refused(caller, `"${caller.name}" may not call "${skill.name}".`, 'skills');
}

/** Throws `policy.denied` unless the lists of every skill on the way down let the call of a skill do all that it does. */
export function checkTools(
  { registry, kernel }: Execution,
  caller: Frame,
  called: Skill,
  act: Act & { readonly asWritten?: boolean },
): void {
  const seen = { ...act, ...knownAs(registry, called) };
  const tool = act.permission.label ?? `Skill(${act.skill})`;
  for (const { skill, allowed, disallowed = [] } of toolLists(
    caller,
    kernel.enforcesTools(),
    act.asWritten,
  )) {
    const against = ruleAgainst(parseRules(disallowed), seen);
    if (against !== undefined) throw disallowedBy(skill, tool);
    if (allowed === undefined || rulesCover(parseRules(allowed), seen)) continue;
    const named = allowed.length === 0 ? 'none' : allowed.join(', ');
    throw refused(
      skill,
      `"${skill.name}" may not use ${tool} in this way: its allowed tools are ${named}.`,
      'tools',
    );
  }
}

function disallowedBy({ name, file }: ToolList['skill'], tool: string): AgentError {
  const where = file === '' ? '' : ` (${file})`;
  return new AgentError('policy.denied', `"${name}" does not let ${tool} be used in this way.`, {
    hint: `It is among the disallowed tools of ${name}${where}; do without it.`,
  });
}

function refused({ name, file }: ToolList['skill'], message: string, list: 'skills' | 'tools'): AgentError {
  const hint = file === '' ? undefined : `Add it to the allowed ${list} of ${name} (${file}).`;
  return new AgentError('policy.denied', message, hint === undefined ? {} : { hint });
}

/**
 * Throws `policy.denied` where the text of a file from elsewhere calls a skill that its owner lets no model choose: a
 * model that chose the one would have chosen the other. What comes from the same place may know of each other.
 */
export function checkHidden(caller: Skill | undefined, called: Skill, { asWritten }: CallOptions): void {
  if (caller === undefined || asWritten !== true || !isForeign(caller)) return;
  if (called.card.modelInvocable !== false || called.source === caller.source) return;
  throw new AgentError(
    'policy.denied',
    `"${caller.name}" may not call "${called.name}", which no model may choose.`,
    {
      hint: `Call "${called.name}" yourself, or let models choose it.`,
    },
  );
}

/** Throws `policy.shell-disabled` for a command that stands in the text of a skill, where settings let none of them run. */
export function checkShell(
  { kernel }: Execution,
  { family, definition }: CallTarget,
  call: CallOptions,
): void {
  if (call.asWritten !== true || !kernel.isShellDisabled()) return;
  if (family.permission?.describe?.(definition).runsProcesses !== true) return;
  throw new AgentError('policy.shell-disabled', 'Commands in the texts of skills are switched off.', {
    hint: 'They run again without the setting "skills.disableShellExecution".',
  });
}
