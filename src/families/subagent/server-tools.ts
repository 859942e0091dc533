import type { Scope } from '../../core/scope.ts';
import { provideTools } from '../../engines/servers/provide-tools.ts';
import { readToolEntry } from '../../engines/servers/tool-entry.ts';
import type { SubagentDefinition } from './definition.ts';
import { isServerTool } from './tool-rules.ts';

/** Makes the tools of servers that a subagent lists callable for it; a server that nobody knows is noted, as files come from elsewhere. */
export async function provideListed({ tools = [] }: SubagentDefinition, scope: Scope): Promise<void> {
  const allowed = tools.filter(isServerTool);
  const named = new Set(allowed.flatMap((entry) => readToolEntry(entry)?.server ?? []));
  if (named.size === 0) return;
  const servers = scope.servers.filter((name) => named.has(name) || named.has('*'));
  const unknown = [...named].filter((name) => name !== '*' && !servers.includes(name));
  if (unknown.length > 0)
    scope.note(
      `"${scope.skill.name}" lists tools of servers that settings do not know: ${unknown.join(', ')}.`,
    );
  if (servers.length > 0) await provideTools(scope, { servers, allowed });
}
