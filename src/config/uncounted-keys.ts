import { uncountedServers } from './mcp-file.ts';
import { readLayers, type SettingsSources } from './settings.ts';
import { keyOf } from './settings-key.ts';

/** The keys of a project's settings, servers of its `.mcp.json` among them, that do not count because nobody trusted it. */
export function uncountedKeys(sources: SettingsSources): readonly string[] {
  const { issues } = readLayers(sources);
  const keys = issues
    .filter(({ code }) => code === 'settings.untrusted')
    .flatMap(({ message }) => /^"(.+)" does not count/.exec(message)?.[1] ?? []);
  const servers = uncountedServers(sources).map((name) => keyOf(['mcpServers', name]));
  return [...new Set([...keys, ...servers])];
}
