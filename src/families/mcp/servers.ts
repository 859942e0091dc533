import type { Issue } from '../../core/issue.ts';
import { jsonFault } from '../../core/json/validate.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../core/json.ts';
import { firstFence } from '../../core/descriptor/markdown.ts';
import { readServerEntry } from '../../core/servers/read-server.ts';
import type { Section } from '../../core/descriptor/sections.ts';
import { isServerName } from '../../core/servers/tool-server.ts';
import type { McpServer } from './definition.ts';

/** Where servers may be written: as a map, in a json fence, or as a list of names that settings know. */
export interface ServersSource {
  readonly field: Json | undefined;
  readonly section: Section | undefined;
  /** One-based line of whichever counts. */
  readonly line: number;
  names(): readonly string[] | undefined;
}

/** The servers a descriptor names or describes; one that cannot be read is an error and is left out. */
export function serversIn(source: ServersSource, issues: Issue[]): readonly McpServer[] | undefined {
  const { field, section } = source;
  if (isJsonObject(field)) return describedServers(field, source.line, issues);
  const fence = field === undefined && section !== undefined ? firstFence(section.text, ['json']) : undefined;
  if (fence === undefined || section === undefined) return namedServers(source, issues);
  const line = section.textLine + fence.line - 1;
  const value = parseJson(fence.content);
  if (isJsonObject(value)) return describedServers(value, line, issues);
  const why = value === undefined ? `: ${faultIn(fence.content)}` : '';
  issues.push(fault(`The json fence of "Servers" is not a JSON object${why}; no server is known.`, line));
  return [];
}

function faultIn(json: string): string {
  const { message, line } = jsonFault(json);
  return `${message} in line ${line} of it`;
}

function namedServers(source: ServersSource, issues: Issue[]): readonly McpServer[] | undefined {
  const names = source.names();
  return (
    names &&
    [...new Set(names)].flatMap((name) => {
      if (isServerName(name)) return [{ kind: 'named' as const, name }];
      issues.push(fault(`"${name}" is not the name of a server and is left out.`, source.line));
      return [];
    })
  );
}

/** Servers by name; the wrapper that `.mcp.json` files have is taken off. */
function describedServers(found: JsonObject, line: number, issues: Issue[]): readonly McpServer[] {
  const wrapped = found['mcpServers'];
  const byName = isJsonObject(wrapped) && Object.keys(found).length === 1 ? wrapped : found;
  return Object.entries(byName).flatMap(([name, value]) => {
    const read = readServerEntry(name, value, 'descriptor');
    if (typeof read !== 'string') return [read];
    issues.push(fault(`The server "${name}" ${read}, so it is left out.`, line));
    return [];
  });
}

function fault(message: string, line: number): Issue {
  const hint =
    'Write {"name": {"command": "…", "args": []}} or {"name": {"url": "https://…"}}, or a list of names.';
  return { level: 'error', code: 'server.invalid', message, line, hint };
}
