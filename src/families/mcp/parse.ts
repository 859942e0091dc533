import {
  didYouMean,
  firstFence,
  isJsonObject,
  isServerName,
  jsonFault,
  optional,
  parseJson,
  readHeaded,
  readServerEntry,
  scriptIn,
  valuesOf,
  type Bundle,
  type GivenText,
  type Issue,
  type Json,
  type JsonObject,
  type Parsed,
  type Section,
  type ServerDescription,
  type SkillCard,
} from '../../core/index.ts';
import { readAllowedTools, readToolEntry, toolLabel } from '../../engines/servers/allowed-tools.ts';
import { findScriptIssues, type AllowedNames } from '../../engines/sop/language/find-script-issues.ts';

const values = {
  summary: [],
  instructions: ['Guidance', 'System-Prompt', 'Overview', 'MCP-Guidance'],
  'allowed-tools': ['Tool-Allowlist', 'Tool-Allow-List', 'Tools'],
  script: ['Light-SOP-Lang', 'LightSOPLang', 'Plan-Script', 'Plan SOPlang'],
  servers: [],
  help: [],
};
/** The sections that it reads, each with its other spellings; all but the description may stand in the frontmatter. */
export const sections = { description: [], ...values };

/** Reads an mskill.md; an absent list stays absent, and a list that is there grants exactly what it names. */
export function parse(bundle: Bundle): Parsed<McpDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary', 'instructions']);
  const { name, issues } = headed;
  const { given, text, list, lineOf } = valuesOf(bundle, headed, values);
  const allowedTools = list('allowed-tools');
  const card: SkillCard = {
    ...headed.card,
    ...optional('allowedTools', allowedTools && rulesOf(allowedTools)),
    allowedSkills: [],
    fromOutside: true,
  };
  if (!headed.usable) return { name, card, definition: undefined, issues };
  const source = {
    field: headed.fields.raw('servers'),
    section: headed.sections.get('servers'),
    line: lineOf('servers'),
    names: () => list('servers'),
  };
  const servers = serversIn(source, issues);
  issues.push(...findToolIssues(allowedTools ?? [], servers, lineOf('allowed-tools')));
  const script = scriptIn(given('script'), issues);
  if (script !== undefined) issues.push(...findScriptIssues(script, allowedNames(allowedTools)));
  const definition = {
    ...optional('instructions', text('instructions')),
    ...optional('allowedTools', allowedTools),
    ...optional('script', script),
    ...optional('servers', servers),
    ...optional('help', text('help')),
  };
  return { name, card, definition, issues };
}

/** Where servers may be written: as a map, in a json fence, or as a list of names that settings know. */
interface ServersSource {
  readonly field: Json | undefined;
  readonly section: Section | undefined;
  /** One-based line of whichever counts. */
  readonly line: number;
  names(): readonly string[] | undefined;
}

/** The servers a descriptor names or describes; one that cannot be read is an error and is left out. */
function serversIn(source: ServersSource, issues: Issue[]): readonly McpServer[] | undefined {
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

/** A list of tools as permission rules; what is no entry means nothing. */
function rulesOf(list: readonly string[]): readonly string[] {
  return list.flatMap((text) => {
    const entry = readToolEntry(text);
    return entry === undefined ? [] : [toolLabel(entry)];
  });
}

/** Findings about a list of tools: what names no tool, and tools of servers that the file does not know. */
function findToolIssues(
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
function allowedNames(list: readonly string[] | undefined): AllowedNames | undefined {
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

/** A server the skill connects to: one that settings know by name, or one described in the file. */
export type McpServer = { readonly kind: 'named'; readonly name: string } | ServerDescription;

/** What an mskill.md says beyond its card; an absent list is not the same as an empty one. */
export interface McpDefinition {
  readonly instructions?: string;
  /** As written, since servers tell tools apart by case. Absent: all. Empty: none. */
  readonly allowedTools?: readonly string[];
  /** A plan that needs no planner, and where it begins in the file. */
  readonly script?: GivenText;
  /** Absent: every server that settings name. Empty: none. */
  readonly servers?: readonly McpServer[];
  readonly help?: string;
}
