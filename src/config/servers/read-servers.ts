import { dirname, join } from 'node:path';
import {
  indexLines,
  isJsonObject,
  optional,
  parseJsonWithComments,
  readServerEntry,
  type Issue,
  type Json,
  type ServerDescription,
} from '../../core/index.ts';
import type { SettingsLocations } from '../paths.ts';
import type { SettingsLayer } from '../read/layers.ts';
import { isTrustedProject, projectState, serversFile, userTrustBook } from '../trust.ts';
import { readPluginServers } from './plugin-servers.ts';

/** An MCP server and the file that configures it. */
export interface ConfiguredServer {
  readonly server: ServerDescription;
  readonly file: string;
}

/**
 * Reads the MCP servers that are configured in files, keyed by name. Precedence: the user's
 * servers, then the project's settings, then the project's `.mcp.json`, then plugins.
 */
export function readServers(
  layers: readonly SettingsLayer[],
  locations: SettingsLocations,
): { readonly servers: readonly ServerDescription[]; readonly issues: readonly Issue[] } {
  const { configured, issues } = configuredServers(layers, locations);
  return { servers: configured.map(({ server }) => server), issues };
}

/** Returns the configured servers, each with the file that configures it. */
export function configuredServers(
  layers: readonly SettingsLayer[],
  locations: SettingsLocations,
): { readonly configured: readonly ConfiguredServer[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const inSettings = ['user', 'local', 'project'].flatMap((name) =>
    layers.filter((layer) => layer.name === name).flatMap((layer) => serversOf(layer, locations)),
  );
  const report = (issue: Issue): void => void issues.push(issue);
  const all = [
    ...inSettings,
    ...readMcpFile(locations, report),
    ...readPluginServers(layers, locations, report),
  ];
  const known = new Map<string, ConfiguredServer>();
  for (const one of all) {
    const before = known.get(one.server.name);
    if (before === undefined) known.set(one.server.name, one);
    else issues.push(twice(one, before));
  }
  return { configured: [...known.values()], issues };
}

function serversOf(
  { name, from, values }: SettingsLayer,
  locations: SettingsLocations,
): readonly ConfiguredServer[] {
  const entries = isJsonObject(values['mcpServers']) ? Object.entries(values['mcpServers']) : [];
  if (entries.length === 0) return [];
  const near = name === 'user' ? nearUser(dirname(from), locations) : [dirname(dirname(from))];
  return entries.flatMap(([server, entry]) => {
    const read = readServerEntry(server, entry, 'settings');
    if (typeof read === 'string') return []; // The error was already reported when the file was read.
    return [{ server: read.kind === 'stdio' ? { ...read, near } : read, file: from }];
  });
}

/**
 * Returns the folders in which to search for server programs. Omits the folder of an untrusted project,
 * because a malicious program there could receive another server's data.
 */
function nearUser(folder: string, locations: SettingsLocations): readonly string[] {
  const state = projectState(locations);
  const isTrusted = state !== undefined && isTrustedProject(state, userTrustBook(locations));
  return isTrusted ? [folder, state.project] : [folder];
}

function twice({ server: { name }, file }: ConfiguredServer, before: ConfiguredServer): Issue {
  return {
    level: 'warning',
    code: 'server.duplicate',
    message: `The server "${name}" is configured twice; the one in ${before.file} is used.`,
    file,
    hint: 'Rename or remove one of the servers.',
  };
}

/**
 * Reads the servers in the project's `.mcp.json`. Ignores them unless the project is trusted, because they
 * start programs and can read the user's environment variables.
 */
function readMcpFile(
  locations: SettingsLocations,
  report: (issue: Issue) => void,
): readonly { readonly server: ServerDescription; readonly file: string }[] {
  const { project, file, text, entries, isTrusted } = lookAtMcpFile(locations, report);
  if (entries.length === 0) return [];
  if (!isTrusted()) {
    report(untrusted(entries.length, file));
    return [];
  }
  const lineOf = indexLines(text);
  return entries.flatMap(([name, entry]) => {
    if (isJsonObject(entry) && entry['disabled'] === true) return [];
    const read = readServerEntry(name, entry, 'mcp-json');
    if (typeof read !== 'string')
      return [{ server: read.kind === 'stdio' ? { ...read, near: [project] } : read, file }];
    const message = `The server "${name}" ${read}, so it is ignored.`;
    report(fault('server.invalid', message, file, lineOf(`mcpServers.${name}`)));
    return [];
  });
}

/** Returns the names of the `.mcp.json` servers that are ignored because the project is not trusted. */
export function findIgnoredServers(locations: SettingsLocations): readonly string[] {
  const { entries, isTrusted } = lookAtMcpFile(locations, () => undefined);
  return entries.length === 0 || isTrusted() ? [] : entries.map(([name]) => name);
}

interface McpFile {
  readonly project: string;
  readonly file: string;
  readonly text: string;
  readonly entries: readonly [string, Json][];
  readonly isTrusted: () => boolean;
}

function lookAtMcpFile(locations: SettingsLocations, report: (issue: Issue) => void): McpFile {
  const state = projectState(locations);
  const { project = '', files } = state ?? {};
  const file = join(project, serversFile);
  const text = files?.get(file)?.toString('utf8') ?? '';
  const isTrusted = (): boolean => state !== undefined && isTrustedProject(state, userTrustBook(locations));
  return { project, file, text, entries: entriesOf(text, file, report), isTrusted };
}

function entriesOf(text: string, file: string, report: (issue: Issue) => void): readonly [string, Json][] {
  if (text.trim() === '') return [];
  const read = parseJsonWithComments(text);
  if (!read.ok) {
    const message = `The list of servers is not valid JSON: ${read.message} (column ${read.column}). The file is ignored.`;
    report({ ...fault('settings.invalid', message, file, read.line), details: { column: read.column } });
    return [];
  }
  const servers = isJsonObject(read.value) ? (read.value['mcpServers'] ?? {}) : undefined;
  if (!isJsonObject(servers) || isElsewhere(read.value)) {
    const message = 'The servers must be listed by name in an "mcpServers" object. The file is ignored.';
    report(fault('settings.invalid', message, file, 1));
    return [];
  }
  return Object.entries(servers);
}

/**
 * Returns whether servers are defined at the top level or under `servers`, where other programs expect
 * them.
 */
function isElsewhere(value: Json): boolean {
  if (!isJsonObject(value) || value['mcpServers'] !== undefined) return false;
  const looksLikeServer = (entry: Json): boolean =>
    isJsonObject(entry) && (entry['command'] !== undefined || entry['url'] !== undefined);
  const inside = value['servers'] ?? null;
  return [value, inside].some((part) => isJsonObject(part) && Object.values(part).some(looksLikeServer));
}

function fault(code: Issue['code'], message: string, file: string, line: number | undefined): Issue {
  return { level: 'error', code, message, file, ...optional('line', line), hint: 'Fix the file.' };
}

function untrusted(count: number, file: string): Issue {
  const which = count === 1 ? 'A server is' : `${count} servers are`;
  return {
    level: 'info',
    code: 'settings.untrusted',
    message: `${which} ignored: a project could start its own programs.`,
    file,
    hint: 'Check the file, then trust the project: `skilled trust grant .`',
  };
}
