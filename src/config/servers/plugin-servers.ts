import { sep } from 'node:path';
import { readServerEntry, type Issue, type Json, type ServerDescription } from '../../core/index.ts';
import { isWithin, realPath } from '../../files/index.ts';
import { hasManifest, pluginServers, readManifests } from '../../skills/discover/plugin-manifest.ts';
import { pluginFolder } from '../../skills/discover/plugins.ts';
import type { SettingsLocations } from '../paths.ts';
import type { SettingsLayer } from '../read/layers.ts';
import { projectState } from '../trust.ts';

/**
 * Reads the MCP servers of the plugins in the settings. Ignores plugins in the project, because
 * trusting a project does not cover the files of its plugins.
 */
export function readPluginServers(
  layers: readonly SettingsLayer[],
  locations: SettingsLocations,
  report: (issue: Issue) => void,
): readonly { readonly server: ServerDescription; readonly file: string }[] {
  const { startDir = '/', home } = locations;
  const names = layers.flatMap(({ values: { plugins } }) =>
    Array.isArray(plugins) ? (plugins as readonly Json[]) : [],
  );
  const folders = new Set(
    names.flatMap((name) => (typeof name === 'string' ? (pluginFolder(name, { startDir, home }) ?? []) : [])),
  );
  return [...folders].filter(hasManifest).flatMap((folder) => serversIn(folder, locations, report));
}

function serversIn(
  folder: string,
  locations: SettingsLocations,
  report: (issue: Issue) => void,
): ReturnType<typeof readPluginServers> {
  // Problems in manifests are not reported here, because skill discovery reports them.
  return readManifests(folder, []).flatMap((plugin) => {
    const servers = pluginServers(plugin, []);
    if (servers.length > 0 && (isInProject(plugin.dir, locations) || isPackageOfProject(folder, locations))) {
      report(inProject(plugin.name, plugin.file));
      return [];
    }
    return servers.flatMap(({ name, entry, file }) => {
      // Claude Code uses the same names, so rules such as `mcp__plugin_acme_db__query` apply here too.
      const read = readServerEntry(`plugin_${plugin.name}_${name}`, entry, 'mcp-json');
      if (typeof read !== 'string') return [{ server: withFolder(read, plugin.dir), file }];
      const message = `The server "${name}" of the plugin "${plugin.name}" ${read}, so it is ignored.`;
      report({ level: 'error', code: 'server.invalid', message, file, hint: 'Fix the file.' });
      return [];
    });
  });
}

function isInProject(dir: string, locations: SettingsLocations): boolean {
  const project = projectState(locations)?.folder;
  return project !== undefined && isWithin(realPath(dir), project);
}

/**
 * Returns whether a plugin is in the `node_modules` of the start folder or of a folder above it, excluding
 * the home folder and all folders above that. Such a package belongs to the project, even if it is a link
 * or is outside the project's own folder.
 */
function isPackageOfProject(folder: string, { startDir, home }: SettingsLocations): boolean {
  const [, holder] = /^(.*)[/\\]node_modules[/\\]/s.exec(folder) ?? [];
  if (holder === undefined || startDir === undefined) return false;
  const root = realPath(holder === '' ? sep : holder);
  return isWithin(realPath(startDir), root) && (home === undefined || !isWithin(realPath(home), root));
}

/** Lets a server use programs from its plugin's folder and read the plugin's files. */
function withFolder(server: ServerDescription, dir: string): ServerDescription {
  if (server.kind !== 'stdio') return server;
  return { ...server, near: [dir], read: [dir], env: { CLAUDE_PLUGIN_ROOT: dir, ...server.env } };
}

function inProject(plugin: string, file: string): Issue {
  return {
    level: 'info',
    code: 'settings.untrusted',
    message: `The servers of the plugin "${plugin}" are ignored, because the plugin is in the project.`,
    file,
    hint: 'Add the servers to the .mcp.json of the project, or to your own settings.',
  };
}
