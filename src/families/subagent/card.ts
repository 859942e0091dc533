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

/** The list as written, and beside a tool what the other settings cannot do without: the reader of listed skills, and skills. */
function allowedTools(settings: SubagentSettings): readonly string[] | undefined {
  if (settings.tools === undefined) return undefined;
  const rules = rulesOf(settings.tools);
  if (rules.length === 0) return rules;
  return [
    ...rules,
    ...(listsSkills(settings) && !nameReader(rules) ? ['Read'] : []),
    ...(settings.inheritSkills === true && !rules.some(isAnySkill) ? ['Skill'] : []),
  ];
}

/** Whether its prompt only says where its skills are. */
export function listsSkills({ skills = [], skillInjection }: SubagentSettings): boolean {
  return skills.length > 0 && skillInjection === 'light';
}

/** Whether it was made sure that it cannot read the skills that are listed for it. */
export function lacksReader(settings: SubagentSettings): boolean {
  if (!listsSkills(settings)) return false;
  return settings.tools?.length === 0 || nameReader(rulesOf(settings.excludeTools ?? []).filter(isWhole));
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
