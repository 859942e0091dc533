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
import type { SettingsPlaces } from '../paths.ts';
import type { SettingsLayer } from '../read/layers.ts';
import { isTrustedProject, projectState, userTrustBook } from '../trust.ts';

/** A server, and the file that describes it. */
export interface ConfiguredServer {
  readonly server: ServerDescription;
  readonly file: string;
}

/** The servers that files describe, by their names: the user's own first, then those of the project, then those of its `.mcp.json`. */
export function readServers(
  layers: readonly SettingsLayer[],
  places: SettingsPlaces,
): { readonly servers: readonly ServerDescription[]; readonly issues: readonly Issue[] } {
  const { configured, issues } = configuredServers(layers, places);
  return { servers: configured.map(({ server }) => server), issues };
}

/** The same, each with its file. */
export function configuredServers(
  layers: readonly SettingsLayer[],
  places: SettingsPlaces,
): { readonly configured: readonly ConfiguredServer[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const inSettings = ['user', 'local', 'project'].flatMap((name) =>
    layers.filter((layer) => layer.name === name).flatMap((layer) => serversOf(layer, places)),
  );
  const all = [...inSettings, ...readMcpFile(places, (issue) => void issues.push(issue))];
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
  places: SettingsPlaces,
): readonly ConfiguredServer[] {
  const entries = isJsonObject(values['mcpServers']) ? Object.entries(values['mcpServers']) : [];
  if (entries.length === 0) return [];
  const near = name === 'user' ? nearUser(dirname(from), places) : [dirname(dirname(from))];
  return entries.flatMap(([server, entry]) => {
    const read = readServerEntry(server, entry, 'settings');
    if (typeof read === 'string') return []; // the file was read before, and this was said then
    return [{ server: read.kind === 'stdio' ? { ...read, near } : read, file: from }];
  });
}

/** A program of the user's is not looked for in a project of somebody else: what lies there would get what was meant for it. */
function nearUser(folder: string, places: SettingsPlaces): readonly string[] {
  const state = projectState(places);
  const isTrusted = state !== undefined && isTrustedProject(state, userTrustBook(places));
  return isTrusted ? [folder, state.project] : [folder];
}

function twice({ server: { name }, file }: ConfiguredServer, before: ConfiguredServer): Issue {
  return {
    level: 'warning',
    code: 'server.duplicate',
    message: `The server "${name}" is described twice; the one in ${before.file} counts.`,
    file,
    hint: 'Give one of them another name, or take it out.',
  };
}

/** The servers in the `.mcp.json` of the project, which count only while that is trusted: they start programs and name the user's variables. */
function readMcpFile(
  places: SettingsPlaces,
  report: (issue: Issue) => void,
): readonly { readonly server: ServerDescription; readonly file: string }[] {
  const { project, file, text, entries, isTrusted } = lookAtMcpFile(places, report);
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
    const message = `The server "${name}" ${read}, so it is left out.`;
    report(fault('server.invalid', message, file, lineOf(`mcpServers.${name}`)));
    return [];
  });
}

/** The names in the `.mcp.json` of the project that do not count because nobody trusted it. */
export function uncountedServers(places: SettingsPlaces): readonly string[] {
  const { entries, isTrusted } = lookAtMcpFile(places, () => undefined);
  return entries.length === 0 || isTrusted() ? [] : entries.map(([name]) => name);
}

interface McpFile {
  readonly project: string;
  readonly file: string;
  readonly text: string;
  readonly entries: readonly [string, Json][];
  readonly isTrusted: () => boolean;
}

function lookAtMcpFile(places: SettingsPlaces, report: (issue: Issue) => void): McpFile {
  const state = projectState(places);
  const { project = '', files } = state ?? {};
  const file = join(project, '.mcp.json');
  const text = files?.get(file)?.toString('utf8') ?? '';
  const isTrusted = (): boolean => state !== undefined && isTrustedProject(state, userTrustBook(places));
  return { project, file, text, entries: entriesOf(text, file, report), isTrusted };
}

function entriesOf(text: string, file: string, report: (issue: Issue) => void): readonly [string, Json][] {
  if (text.trim() === '') return [];
  const read = parseJsonWithComments(text);
  if (!read.ok) {
    const message = `The servers are not valid JSON: ${read.message} (column ${read.column}). None is used.`;
    report({ ...fault('settings.invalid', message, file, read.line), details: { column: read.column } });
    return [];
  }
  const servers = isJsonObject(read.value) ? (read.value['mcpServers'] ?? {}) : undefined;
  if (!isJsonObject(servers) || isElsewhere(read.value)) {
    const message = 'The servers must stand by name in an object "mcpServers". None is used.';
    report(fault('settings.invalid', message, file, 1));
    return [];
  }
  return Object.entries(servers);
}

/** Whether servers stand where other programs look for them: at the top, or in "servers". */
function isElsewhere(value: Json): boolean {
  if (!isJsonObject(value) || value['mcpServers'] !== undefined) return false;
  const looksLikeServer = (entry: Json): boolean =>
    isJsonObject(entry) && (entry['command'] !== undefined || entry['url'] !== undefined);
  const inside = value['servers'] ?? null;
  return [value, inside].some((part) => isJsonObject(part) && Object.values(part).some(looksLikeServer));
}

function fault(code: Issue['code'], message: string, file: string, line: number | undefined): Issue {
  return { level: 'error', code, message, file, ...optional('line', line), hint: 'Correct the file.' };
}

function untrusted(count: number, file: string): Issue {
  const which = count === 1 ? 'A server is' : `${count} servers are`;
  return {
    level: 'info',
    code: 'settings.untrusted',
    message: `${which} not used: a project could start programs of its own.`,
    file,
    hint: 'Look at the file, and trust the project as it is: `skilled trust grant .`',
  };
}
