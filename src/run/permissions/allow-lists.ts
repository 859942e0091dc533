import {
  AgentError,
  isAssistant,
  isForeign,
  ruleAgainst,
  rulesCover,
  type Act,
  type CallOptions,
  type Skill,
  type ToolBound,
} from '../../core/index.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { boundCovers } from './tool-bounds.ts';
import {
  accessIncludes,
  allowedRules,
  disallowedRules,
  knownAs,
  toolLists,
  type ToolList,
} from './tool-lists.ts';

/**
 * Throws `policy.denied` if the caller may not call a skill. A caller with a list of allowed skills may call
 * only the listed skills and the skills that are provided to it. A caller without a list may call any skill.
 */
export function checkAllowList(
  { registry }: Execution,
  { skill: caller, provided, access }: Frame,
  skill: Skill,
): void {
  const isProvided = provided.get(skill.name)?.skill === skill || isAssistant(skill.name);
  if (!isProvided && !accessIncludes(registry, access, skill)) throw noAccess(`call "${skill.name}"`);
  const allowed = caller?.card.allowedSkills;
  if (caller === undefined || allowed === undefined) return;
  if (provided.get(skill.name)?.skill === skill) return;
  if (allowed.some((name) => registry.lookup.find(name) === skill)) return;
  throw refused(caller, `"${caller.name}" may not call "${skill.name}".`, 'skills');
}

/**
 * Throws `policy.denied` if a tool list on the call path does not allow everything that the call would do.
 */
export function checkTools(
  { registry, kernel, state }: Execution,
  caller: Frame,
  called: Skill,
  act: Act & { readonly asWritten?: boolean },
): void {
  if (caller.provided.get(called.name)?.isOfClient === true) return; // The lists are about the server's tools.
  const subject = { ...act, ...knownAs(registry, called) };
  const tool = act.permission.label ?? `Skill(${act.skill})`;
  const isBuilding = state.started?.prepares !== undefined || caller.options.mode === 'build';
  const isOwnCode = isBuilding && act.permission.isOwn?.(act.input, caller.skill?.dir ?? '') === true;
  const lists = toolLists(caller, kernel.enforcesTools(), act.asWritten);
  for (const { skill, allowed, disallowed = [], bound, ofRun } of lists) {
    const isFree = isOwnCode && ofRun === undefined;
    if (bound !== undefined && !isFree && !boundCovers(registry, bound, subject))
      throw ofRun ? noAccess(`use ${tool} in this way`) : outOfBounds(skill, bound, tool);
    const against = ruleAgainst(disallowedRules(registry, disallowed), subject);
    if (against !== undefined) throw ofRun ? noAccess(`use ${tool} in this way`) : disallowedBy(skill, tool);
    if (allowed === undefined || rulesCover(allowedRules(registry, allowed), subject)) continue;
    const named = allowed.length === 0 ? 'none' : allowed.join(', ');
    throw refused(
      skill,
      `"${skill.name}" may not use ${tool} in this way. Its allowed tools: ${named}.`,
      'tools',
    );
  }
}

function outOfBounds(
  { name, file }: ToolList['skill'],
  { rules, line }: ToolBound,
  tool: string,
): AgentError {
  const named = rules.length === 0 ? 'none' : rules.join(', ');
  return new AgentError(
    'policy.denied',
    `"${name}" does not allow this use of ${tool} in its call tree. Its allowed tools: ${named}.`,
    {
      hint: `The list is in ${file}:${line}. Add the tool to it, or continue without the tool.`,
      details: { skill: name, file, line, tool },
    },
  );
}

function noAccess(what: string): AgentError {
  return new AgentError('policy.denied', `The key of this run may not ${what}.`, {
    hint: 'Use a key whose skills and permissions include it.',
  });
}

function disallowedBy({ name, file }: ToolList['skill'], tool: string): AgentError {
  const where = file === '' ? '' : ` (${file})`;
  return new AgentError('policy.denied', `"${name}" does not allow this use of ${tool}.`, {
    hint: `The tool is on the list of disallowed tools of ${name}${where}. Continue without it.`,
  });
}

function refused({ name, file }: ToolList['skill'], message: string, list: 'skills' | 'tools'): AgentError {
  const hint = file === '' ? undefined : `Add the missing entry to the allowed ${list} of ${name} (${file}).`;
  return new AgentError('policy.denied', message, hint === undefined ? {} : { hint });
}

/**
 * Throws `policy.denied` if the text of a skill from a project, package or server calls a skill that models
 * may not choose. Otherwise, a model could choose that skill indirectly through the caller. Skills from the
 * same source may call each other.
 */
export function checkHidden(caller: Skill | undefined, called: Skill, { asWritten }: CallOptions): void {
  if (caller === undefined || asWritten !== true || !isForeign(caller)) return;
  if (called.card.modelInvocable !== false || called.source === caller.source) return;
  throw new AgentError(
    'policy.denied',
    `"${caller.name}" may not call "${called.name}", because models are not allowed to choose that skill.`,
    {
      hint: `Call "${called.name}" directly, or allow models to call it.`,
    },
  );
}

/** Throws `policy.shell-disabled` for a command in a skill's text if settings disable such commands. */
export function checkShell(
  { kernel }: Execution,
  { family, definition }: CallTarget,
  call: CallOptions,
): void {
  if (call.asWritten !== true || !kernel.isShellDisabled()) return;
  if (family.permission?.describe?.(definition).runsProcesses !== true) return;
  throw new AgentError('policy.shell-disabled', 'Commands in skill text are disabled.', {
    hint: 'Remove the setting "skills.disableShellExecution" to enable them.',
  });
}
