import { optional } from '../../core/collections.ts';
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

function allowedTools(settings: SubagentSettings): readonly string[] | undefined {
  if (settings.tools === undefined) return undefined;
  return withMeans(rulesOf(settings.tools), { ...settings, lists: listsSkills(settings) });
}

/** Rules with what the rest of a file cannot do without: to read the skills it lists, to load those it inherits. An empty list stays empty. */
export function withMeans(
  rules: readonly string[],
  { lists, inheritSkills }: { readonly lists: boolean; readonly inheritSkills?: boolean },
): readonly string[] {
  if (rules.length === 0) return rules;
  return [
    ...rules,
    ...(lists && !nameReader(rules) ? ['Read'] : []),
    ...(inheritSkills === true && !rules.some(isAnySkill) ? ['Skill'] : []),
  ];
}

/** Whether its prompt only says where its skills are. */
export function listsSkills({ skills = [], skillInjection }: SubagentSettings): boolean {
  return skills.length > 0 && skillInjection === 'light';
}

/** Whether its own lists keep it from reading the skills that are listed for it: it has no tools at all, or takes that one away. */
export function lacksReader(settings: SubagentSettings): boolean {
  if (!listsSkills(settings)) return false;
  const { tools, excludeTools = [] } = settings;
  if (tools?.length === 0) return true;
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
