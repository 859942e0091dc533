import { namesTool, parseRules, type Scope, type Skill } from '../../core/index.ts';
import { readToolEntry } from '../../engines/servers/allowed-tools.ts';
import { provideTools } from '../../engines/servers/provide-tools.ts';
import { squeeze, type SubagentDefinition } from './settings.ts';
import { isServerTool, rulesOf } from './tool-rules.ts';

const mostTools = 64;

/** Built-in tools that only a list gives: there is no catalog to search in, and skills are not made by the way. */
const onRequest: readonly string[] = ['findskills', 'mirrorcodegenerator'];

/**
 * What a subagent gets as tools when it is shown no catalog of skills: the tools and subagents that it may call, and
 * the skills that its list names. Tools stand first, each part in the order of names.
 */
export function ownTools({ tools }: SubagentDefinition, scope: Scope): readonly Skill[] {
  const rules = parseRules(rulesOf(tools ?? []).filter((rule) => rule.includes('(')));
  const isNamed = ({ name, aliases }: Skill): boolean =>
    rules.some((rule) =>
      namesTool(rule, { skill: name, aliases, permission: {}, input: null, workspace: undefined }),
    );
  const mayNest = scope.skill.card.nesting !== 0;
  const offered = scope.skills.callable.filter((skill) => {
    const { label } = skill.card;
    if (label !== undefined) return tools !== undefined || !onRequest.includes(squeeze(label));
    if (skill.family === scope.skill.family) return mayNest;
    return isNamed(skill);
  });
  const sorted = offered.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
  if (sorted.length > mostTools) {
    const left = sorted.slice(mostTools).map(({ name }) => name);
    scope.note(`There is room for ${mostTools} tools; these are not offered: ${left.join(', ')}.`);
  }
  return sorted.slice(0, mostTools);
}

function rankOf({ card }: Skill): number {
  return card.label === undefined ? 1 : 0;
}

/** Makes the tools of servers that a subagent lists callable for it; a server that nobody knows is noted, as files come from elsewhere. */
export async function provideListed({ tools = [] }: SubagentDefinition, scope: Scope): Promise<void> {
  const allowed = tools.filter(isServerTool);
  const named = new Set(allowed.flatMap((entry) => readToolEntry(entry)?.server ?? []));
  if (named.size === 0) return;
  const servers = scope.resources.servers.filter((name) => named.has(name) || named.has('*'));
  const unknown = [...named].filter((name) => name !== '*' && !servers.includes(name));
  if (unknown.length > 0)
    scope.note(
      `"${scope.skill.name}" lists tools of servers that settings do not know: ${unknown.join(', ')}.`,
    );
  if (servers.length > 0) await provideTools(scope, { servers, allowed });
}
