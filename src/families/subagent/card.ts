import { optional } from '../../core/optional.ts';
import type { SkillCard } from '../../core/skill.ts';
import type { SubagentSettings } from './definition.ts';
import { nameReader, nameSubagents, rulesOf } from './tool-rules.ts';

/** What the settings of a subagent mean for its card: its tools as rules, and its bounds. */
export function buildCard(settings: SubagentSettings): Partial<SkillCard> {
  const { excludeTools = [], timeoutMs = 0, maxSubagentDepth } = settings;
  const disallowed = rulesOf(excludeTools.filter((entry) => !nameSubagents([entry])));
  return {
    ...optional('allowedTools', allowedTools(settings)),
    ...optional('disallowedTools', disallowed.length === 0 ? undefined : disallowed),
    ...optional('limits', timeoutMs === 0 ? undefined : { callSeconds: timeoutMs / 1000 }),
    ...optional('nesting', nameSubagents(excludeTools) ? 0 : maxSubagentDepth),
  };
}

/** The list as written; skills that the file inherits are named by that. */
function allowedTools(settings: SubagentSettings): readonly string[] | undefined {
  if (settings.tools === undefined) return undefined;
  const rules = rulesOf(settings.tools);
  const addsSkills = settings.inheritSkills === true && rules.length > 0 && !rules.some(isAnySkill);
  return addsSkills ? [...rules, 'Skill'] : rules;
}

/** Whether its prompt only says where its skills are. */
export function listsSkills({ skills = [], skillInjection }: SubagentSettings): boolean {
  return skills.length > 0 && skillInjection === 'light';
}

/** Whether its own lists keep it from reading the skills that are listed for it; a list of tools is exact. */
export function lacksReader(settings: SubagentSettings): boolean {
  if (!listsSkills(settings)) return false;
  const { tools, excludeTools = [] } = settings;
  if (tools !== undefined && !nameReader(rulesOf(tools))) return true;
  return nameReader(rulesOf(excludeTools).filter(isWhole));
}

/** Whether its tools name skills as such: it is shown the catalog then. */
export function wantsCatalog({ inheritSkills, tools = [] }: SubagentSettings): boolean {
  return inheritSkills === true || tools.some(isAnySkill);
}

function isAnySkill(rule: string): boolean {
  return rule.toLowerCase() === 'skill';
}

function isWhole(rule: string): boolean {
  return !rule.includes('(');
}
