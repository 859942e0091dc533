import { dirname } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { isJsonObject } from '../core/json.ts';
import { readServerEntry } from '../core/servers/read-server.ts';
import type { ServerDescription } from '../core/servers/tool-server.ts';
import { readMcpFile } from './mcp-file.ts';
import { isTrustedProject, projectState, userTrustBook } from './project-trust.ts';
import type { SettingsPlaces } from './settings-files.ts';
import type { SettingsLayer } from './settings-layer.ts';

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
