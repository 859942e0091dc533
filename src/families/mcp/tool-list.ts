import type { Issue } from '../../core/issue.ts';
import { didYouMean } from '../../core/names.ts';
import { readAllowedTools } from '../../engines/servers/allowed-tools.ts';
import { readToolEntry, toolLabel } from '../../engines/servers/tool-entry.ts';
import type { AllowedNames } from '../../engines/sop/language/find-script-issues.ts';
import type { McpServer } from './definition.ts';

/** A list of tools as permission rules; what is no entry means nothing. */
export function rulesOf(list: readonly string[]): readonly string[] {
  return list.flatMap((text) => {
    const entry = readToolEntry(text);
    return entry === undefined ? [] : [toolLabel(entry)];
  });
}

/** Findings about a list of tools: what names no tool, and tools of servers that the file does not know. */
export function findToolIssues(
  list: readonly string[],
  servers: readonly McpServer[] | undefined,
  line: number,
): readonly Issue[] {
  const names = servers?.map(({ name }) => name);
  return list.flatMap((text) => {
    const entry = readToolEntry(text);
    if (entry === undefined)
      return [unknown(`"${text}" is not the name of a tool and allows nothing.`, line)];
    if (entry.server === '*' || names?.includes(entry.server) !== false) return [];
    const message = `"${text}" is a tool of "${entry.server}", which is not among the servers.`;
    return [unknown(message, line, didYouMean(entry.server, names))];
  });
}

/** What a script may call by a list of tools; undefined without one. */
export function allowedNames(list: readonly string[] | undefined): AllowedNames | undefined {
  if (list === undefined) return undefined;
  const allowed = readAllowedTools(list);
  return {
    names: list,
    what: 'tools',
    has: (command) => {
      const dot = command.indexOf('.');
      return dot > 0 && allowed.allows(command.slice(0, dot), command.slice(dot + 1));
    },
  };
}

function unknown(message: string, line: number, hint = 'Write server.tool, server.* or tool.'): Issue {
  return { level: 'warning', code: 'tool.unknown', message, line, hint };
}
