import {
  atLevel,
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
  type ToolBound,
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
/** The recognised sections and their aliases. All except the description can also be frontmatter fields. */
export const sections = { description: [], ...values };

/** Parses an `mskill.md` file. A missing list allows everything, and an empty list allows nothing. */
export function parse(bundle: Bundle): Parsed<McpDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary', 'instructions']);
  const { name, issues } = headed;
  const { given, text, list, lineOf } = valuesOf(bundle, headed, values);
  const allowedTools = list('allowed-tools');
  const card: SkillCard = {
    ...headed.card,
    ...optional('allowedTools', allowedTools && rulesOf(allowedTools)),
    ...optional('toolBound', allowedTools && boundOf(rulesOf(allowedTools), lineOf('allowed-tools'))),
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

/** The server declarations as written: a map, a JSON fence, or a list of names from the settings. */
interface ServersSource {
  readonly field: Json | undefined;
  readonly section: Section | undefined;
  /** The one-based line number of the server declaration. */
  readonly line: number;
  names(): readonly string[] | undefined;
}

/**
 * Returns the servers that a descriptor names or describes. An invalid server is reported and left out, which
 * is an error if no server remains.
 */
function serversIn(source: ServersSource, issues: Issue[]): readonly McpServer[] | undefined {
  const faults: Issue[] = [];
  const servers = readServers(source, faults);
  const isUsable = servers !== undefined && servers.length > 0;
  issues.push(...faults.map((issue) => (isUsable ? atLevel(issue, 'warning') : issue)));
  return servers;
}

function readServers(source: ServersSource, issues: Issue[]): readonly McpServer[] | undefined {
  const { field, section } = source;
  if (isJsonObject(field)) return describedServers(field, source.line, issues);
  const fence = field === undefined && section !== undefined ? firstFence(section.text, ['json']) : undefined;
  if (fence === undefined || section === undefined) return namedServers(source, issues);
  const line = section.textLine + fence.line - 1;
  const value = parseJson(fence.content);
  if (isJsonObject(value)) return describedServers(value, line, issues);
  const why = value === undefined ? `: ${faultIn(fence.content)}` : '';
  issues.push(fault(`The json fence in "Servers" is not a JSON object${why}; no servers are defined.`, line));
  return [];
}

function faultIn(json: string): string {
  const { message, line } = jsonFault(json);
  return `${message} on line ${line} of the fence`;
}

function namedServers(source: ServersSource, issues: Issue[]): readonly McpServer[] | undefined {
  const names = source.names();
  return (
    names &&
    [...new Set(names)].flatMap((name) => {
      if (isServerName(name)) return [{ kind: 'named' as const, name }];
      issues.push(fault(`"${name}" is not a valid server name; it is ignored.`, source.line));
      return [];
    })
  );
}

/** Reads servers keyed by name. Unwraps the `mcpServers` object of `.mcp.json` files. */
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
  return { level: 'error', code: 'server.invalid', message, line, hint, standard: true };
}

/** Converts a list of tools to permission rules. Invalid entries are dropped. */
function rulesOf(list: readonly string[]): readonly string[] {
  return list.flatMap((text) => {
    const entry = readToolEntry(text);
    return entry === undefined ? [] : [toolLabel(entry)];
  });
}

/**
 * Returns the restriction that a list of tools imposes. Issues about its entries use the list's line number.
 */
function boundOf(rules: readonly string[], line: number): ToolBound {
  return { rules, lines: rules.map(() => line), line };
}

/** Finds issues in a list of tools: invalid entries, and tools of servers that the file does not list. */
function findToolIssues(
  list: readonly string[],
  servers: readonly McpServer[] | undefined,
  line: number,
): readonly Issue[] {
  const names = servers?.map(({ name }) => name);
  return list.flatMap((text) => {
    const entry = readToolEntry(text);
    if (entry === undefined) return [unknown(`"${text}" is not a tool name and has no effect.`, line)];
    if (entry.server === '*' || names?.includes(entry.server) !== false) return [];
    const message = `"${text}" is a tool of "${entry.server}", which is not one of the skill's servers.`;
    return [unknown(message, line, didYouMean(entry.server, names))];
  });
}

/** Returns the tools that a list allows a script to call, or undefined if there is no list. */
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

function unknown(message: string, line: number, hint = 'Use the form server.tool, server.* or tool.'): Issue {
  return { level: 'warning', code: 'tool.unknown', message, line, hint };
}

/** A server that the skill connects to, either named in the settings or described in the file. */
export type McpServer = { readonly kind: 'named'; readonly name: string } | ServerDescription;

/** The contents of an `mskill.md` file, apart from its card. A missing list allows everything. */
export interface McpDefinition {
  readonly instructions?: string;
  /**
   * The allowed tools as written, because tool names are case-sensitive. If absent, all tools are allowed; if
   * empty, none.
   */
  readonly allowedTools?: readonly string[];
  /** A script that runs without a planner, with the line number of its first line. */
  readonly script?: GivenText;
  /** The servers to use. If absent, all servers in the settings are used; if empty, none. */
  readonly servers?: readonly McpServer[];
  readonly help?: string;
}
