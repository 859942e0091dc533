import { namesTool, parseRules, type Scope, type Skill } from '../../core/index.ts';
import { readToolEntry } from '../../engines/servers/allowed-tools.ts';
import { provideTools } from '../../engines/servers/provide-tools.ts';
import { squeeze, type SubagentDefinition } from './settings.ts';
import { isServerTool, rulesOf } from './tool-rules.ts';

const maxTools = 64;

/**
 * The built-in tools that a subagent gets only if it lists them: without the catalog, `find-skills` has
 * nothing to search, and code should be generated only on request.
 */
const onRequest: readonly string[] = ['findskills', 'mirrorcodegenerator'];

/**
 * Returns the tools for a subagent that does not see the catalog. These are the tools and subagents that it
 * can call, and the skills named in its list. Tools come first; each group is sorted by name.
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
    if (label !== undefined)
      return tools !== undefined || !(skill.source === 'mcp' || onRequest.includes(squeeze(label)));
    if (skill.family === scope.skill.family) return mayNest;
    return isNamed(skill);
  });
  const sorted = offered.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
  if (sorted.length > maxTools) {
    const left = sorted.slice(maxTools).map(({ name }) => name);
    scope.note(`Only ${maxTools} tools can be offered; left out: ${left.join(', ')}.`);
  }
  return sorted.slice(0, maxTools);
}

function rankOf({ card }: Skill): number {
  return card.label === undefined ? 1 : 0;
}

/**
 * Makes the server tools that a subagent lists callable. An unknown server only adds a note, because the file
 * may have been written for another environment.
 */
export async function provideListed({ tools = [] }: SubagentDefinition, scope: Scope): Promise<void> {
  const allowed = tools.filter(isServerTool);
  const named = new Set(allowed.flatMap((entry) => readToolEntry(entry)?.server ?? []));
  if (named.size === 0) return;
  const servers = scope.resources.servers.filter((name) => named.has(name) || named.has('*'));
  const unknown = [...named].filter((name) => name !== '*' && !servers.includes(name));
  if (unknown.length > 0)
    scope.note(
      `"${scope.skill.name}" lists tools from servers that are not in the settings: ${unknown.join(', ')}.`,
    );
  if (servers.length > 0) await provideTools(scope, { servers, allowed });
}
