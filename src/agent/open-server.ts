import { AgentError } from '../core/error.ts';
import { didYouMean } from '../core/names.ts';
import type { ServerDescription, ToolServer } from '../core/servers/tool-server.ts';
import type { ServerAsker } from '../run/kernel.ts';
import type { Lender } from './lender.ts';
import type { Describer, ServerGround } from './server-ground.ts';
import { serverPlace } from './server-place.ts';

/** The servers that options and settings know, options first; the first of a name counts. */
export function knownServers({ options, setUp }: Lender): readonly ServerDescription[] {
  const all = [...(options.mcpServers ?? []), ...(setUp.settings.servers ?? [])];
  return all.filter(({ name }, index) => index === all.findIndex((other) => other.name === name));
}

/** Makes a server for a skill, by its name or its description; throws `usage.bad-settings` for a name that nobody knows. */
export async function openServer(
  ground: ServerGround & { readonly lender: Lender },
  which: string | ServerDescription,
  { mayRunUncontained, ...by }: ServerAsker & Pick<Describer, 'entry'>,
): Promise<ToolServer> {
  const { ports } = ground.lender;
  if (typeof which === 'object') return ports.openServer(serverPlace(ground, which, mayRunUncontained, by));
  const known = knownServers(ground.lender);
  const found = known.find(({ name }) => name === which);
  if (found === undefined)
    throw unknownServer(
      which,
      known.map(({ name }) => name),
    );
  return ports.openServer(serverPlace(ground, found, mayRunUncontained));
}

function unknownServer(name: string, known: readonly string[]): AgentError {
  const near = didYouMean(name, known);
  const others = known.length === 0 ? 'None is configured.' : `Known are: ${known.join(', ')}.`;
  return new AgentError('usage.bad-settings', `There is no server "${name}". ${near ?? others}`, {
    hint: `Add it with \`skilled config set --user mcpServers.${name} '{"command": "…"}'\`, or put it into the .mcp.json of a trusted project.`,
    details: { name, known },
  });
}
