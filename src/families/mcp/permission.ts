import { visible, type Permission } from '../../core/index.ts';
import type { McpDefinition, McpServer } from './parse.ts';

/**
 * Returns the permission that an MCP skill needs. Approving the skill also approves its servers and their
 * access.
 */
export function permission({ servers }: McpDefinition): Permission {
  const mayStart = servers?.some(({ kind }) => kind !== 'http') ?? true;
  const effects = servers?.map(effectOf) ?? ['uses every server in the settings'];
  return {
    ...(mayStart ? { runsOwnCode: true } : {}),
    effect: effects.length === 0 ? 'It uses no servers.' : `It ${effects.join('; it ')}.`,
  };
}

const longest = 200; // The maximum number of characters shown of a command line or URL.

function effectOf(server: McpServer): string {
  switch (server.kind) {
    case 'named':
      return `uses the server "${server.name}" from the settings`;
    case 'http':
      return `connects to ${shown(server.url)} ("${server.name}")`;
    case 'stdio': {
      const { name, command, args, workspace, hosts = [] } = server;
      const line = shown([command, ...args].join(' '));
      const reach = [
        ...(workspace === undefined
          ? []
          : [`may ${workspace === 'write' ? 'write to' : workspace} the workspace`]),
        ...(hosts.length === 0 ? [] : [`may reach ${hostsOf(hosts)}`]),
      ];
      return `starts ${line} ("${name}")${reach.length === 0 ? '' : `, which ${reach.join(' and ')}`}`;
    }
  }
}

/** Lists the hosts, shortened if there are many. A wildcard is always shown. */
function hostsOf(hosts: readonly string[]): string {
  return hosts.includes('*') ? 'every host (*)' : shown(hosts.join(', '));
}

function shown(text: string): string {
  const line = visible(text);
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
