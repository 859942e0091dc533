import type { Issue } from '../../core/issue.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../core/json.ts';
import { firstFence } from '../../core/markdown.ts';
import type { Section } from '../../core/sections.ts';
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
  issues.push(fault('The json fence of "Servers" is not a JSON object; no server is known.', line));
  return [];
}

function namedServers(source: ServersSource, issues: Issue[]): readonly McpServer[] | undefined {
  return source.names()?.flatMap((name) => {
    if (!/\s/.test(name)) return [{ kind: 'named' as const, name }];
    issues.push(fault(`"${name}" is not the name of a server and is left out.`, source.line));
    return [];
  });
}

/** Servers by name; the wrapper that `.mcp.json` files have is taken off. */
function describedServers(found: JsonObject, line: number, issues: Issue[]): readonly McpServer[] {
  const wrapped = found['mcpServers'];
  const byName = isJsonObject(wrapped) && Object.keys(found).length === 1 ? wrapped : found;
  return Object.entries(byName).flatMap(([name, value]) => {
    const read = describedServer(name, value);
    if (typeof read !== 'string') return [read];
    issues.push(fault(`The server "${name}" ${read}, so it is left out.`, line));
    return [];
  });
}

/** The server an entry describes, or what is wrong with it. */
function describedServer(name: string, entry: Json): McpServer | string {
  if (name === '' || /\s/.test(name)) return 'has a blank in its name';
  if (!isJsonObject(entry)) return 'is not an object';
  const {
    command,
    args = [],
    env = {},
    url,
    headers = {},
  } = entry as Readonly<Record<string, Json | undefined>>;
  const stranger = Object.keys(entry).find((key) => !members.includes(key));
  if (stranger !== undefined) return `has an unknown member "${stranger}"`;
  if ((command === undefined) === (url === undefined)) return 'needs either a "command" or a "url"';
  if (command !== undefined) {
    if (typeof command !== 'string' || command.trim() === '') return 'has a "command" that is no text';
    if (!isTextList(args)) return 'has "args" that are not a list of texts';
    if (!isTextMap(env)) return 'has an "env" that is not a map of texts';
    return { kind: 'stdio', name, command, args, env };
  }
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return 'has a "url" that is not http or https';
  if (!isTextMap(headers)) return 'has "headers" that are not a map of texts';
  return { kind: 'http', name, url, headers };
}

const members = ['type', 'command', 'args', 'env', 'url', 'headers'];

function isTextList(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTextMap(value: Json): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string');
}

function fault(message: string, line: number): Issue {
  const hint =
    'Write {"name": {"command": "…", "args": []}} or {"name": {"url": "https://…"}}, or a list of names.';
  return { level: 'error', code: 'server.invalid', message, line, hint };
}
