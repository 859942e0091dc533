import { ignoredVariables } from './ignored-variables.ts';
import { uncountedServers } from './mcp-file.ts';
import { readLayers, type SettingsSources } from './settings.ts';
import { keyOf } from './settings-key.ts';

/** What a project says that does not count because nobody trusted it: keys of its settings, servers of its `.mcp.json`, variables of its `.env`. */
export function uncountedKeys(sources: SettingsSources): readonly string[] {
  const { issues } = readLayers(sources);
  const keys = issues
    .filter(({ code }) => code === 'settings.untrusted')
    .map(({ details }) => details?.['key'])
    .filter((key) => typeof key === 'string');
  const servers = uncountedServers(sources).map((name) => keyOf(['mcpServers', name]));
  const variables = ignoredVariables(sources).map((name) => `.env ${name}`);
  return [...new Set([...keys, ...servers, ...variables])];
}
