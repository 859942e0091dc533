import { AgentError } from '../core/error.ts';
import { rulesCover, type Act } from '../core/match-rules.ts';
import { parseRules } from '../core/rule.ts';
import type { Skill } from '../core/skill.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { knownAs } from './known-as.ts';

/** Throws `policy.denied` for a skill that its caller may not call: an explicit list is the whole list; without one, everything may be called. */
export function checkAllowList({ registry }: Execution, { skill: caller }: Frame, skill: Skill): void {
  const allowed = caller?.card.allowedSkills;
  if (caller === undefined || allowed === undefined) return;
  if (allowed.some((name) => registry.lookup.find(name) === skill)) return;
  throw refused(caller, `"${caller.name}" may not call "${skill.name}".`, 'skills');
}

/** Throws `policy.denied` unless the tools of every skill on the way down mean all that the call of a skill does. */
export function checkTools({ registry }: Execution, caller: Frame, called: Skill, act: Act): void {
  for (const { skill } of caller.path) {
    const tools = skill?.card.allowedTools;
    if (skill === undefined || tools === undefined) continue;
    if (rulesCover(parseRules(tools), { ...act, ...knownAs(registry, called) })) continue;
    const named = tools.length === 0 ? 'none' : tools.join(', ');
    const tool = act.permission.label ?? `Skill(${act.skill})`;
    throw refused(
      skill,
      `"${skill.name}" may not use ${tool} in this way: its allowed tools are ${named}.`,
      'tools',
    );
  }
}

function refused({ name, file }: Skill, message: string, list: 'skills' | 'tools'): AgentError {
  const hint = file === '' ? undefined : `Add it to the allowed ${list} of ${name} (${file}).`;
  return new AgentError('policy.denied', message, hint === undefined ? {} : { hint });
}
