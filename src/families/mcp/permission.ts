import { visible, type Permission } from '../../core/index.ts';
import type { McpDefinition, McpServer } from './parse.ts';

/** How permission rules see a skill over servers: whoever lets it work lets it start them and reach what they ask for. */
export function permission({ servers }: McpDefinition): Permission {
  const mayStart = servers?.some(({ kind }) => kind !== 'http') ?? true;
  const effects = servers?.map(effectOf) ?? ['uses every server that settings know'];
  return {
    ...(mayStart ? { runsOwnCode: true } : {}),
    effect: effects.length === 0 ? 'It uses no server.' : `It ${effects.join('; it ')}.`,
  };
}

const longest = 200; // characters of a command line or an address

function effectOf(server: McpServer): string {
  switch (server.kind) {
    case 'named':
      return `uses the server "${server.name}" of the settings`;
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

/** However many there are, that it is every one must be seen. */
function hostsOf(hosts: readonly string[]): string {
  return hosts.includes('*') ? 'every host (*)' : shown(hosts.join(', '));
}

function shown(text: string): string {
  const line = visible(text);
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
