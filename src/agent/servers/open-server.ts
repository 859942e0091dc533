import {
  AgentError,
  didYouMean,
  type ServerDescription,
  type ServerEndpoint,
  type ToolServer,
} from '../../core/index.ts';
import type { ServerAsker } from '../../run/kernel.ts';
import { folderOf } from '../../run/permissions/skill-files.ts';
import { overlayOf, type Environment } from '../../skills/eligibility/environment.ts';
import { workspaceOf } from '../options.ts';
import { namesIn } from '../redaction.ts';
import type { AgentContext } from '../setup.ts';
import { httpEndpoint } from './http-server.ts';
import { serverValues, type Describer, type ServerDependencies } from './server-values.ts';
import { stdioEndpoint } from './stdio-server.ts';

/**
 * Returns the servers from the options, followed by those from the settings. If several servers share a name,
 * returns only the first of them.
 */
export function knownServers({ options, setUp }: AgentContext): readonly ServerDescription[] {
  const all = [...(options.mcpServers ?? []), ...(setUp.settings.servers ?? [])];
  return all.filter(({ name }, index) => index === all.findIndex((other) => other.name === name));
}

/** Opens a server for a skill, by name or description. Throws `usage.bad-settings` for an unknown name. */
export async function openServer(
  dependencies: ServerDependencies & { readonly context: AgentContext },
  which: string | ServerDescription,
  { mayRunUncontained, ...by }: ServerAsker & Pick<Describer, 'entry'>,
): Promise<ToolServer> {
  const { ports } = dependencies.context;
  if (typeof which === 'object')
    return ports.openServer(serverEndpoint(dependencies, which, mayRunUncontained, by));
  const known = knownServers(dependencies.context);
  const found = known.find(({ name }) => name === which);
  if (found === undefined)
    throw unknownServer(
      which,
      known.map(({ name }) => name),
    );
  return ports.openServer(serverEndpoint(dependencies, found, mayRunUncontained));
}

function unknownServer(name: string, known: readonly string[]): AgentError {
  const near = didYouMean(name, known);
  const others =
    known.length === 0 ? 'No servers are configured.' : `Configured servers: ${known.join(', ')}.`;
  return new AgentError('usage.bad-settings', `There is no server "${name}". ${near ?? others}`, {
    hint: `Add it with \`skilled config set --user mcpServers.${name} '{"command": "…"}'\`, or add it to the .mcp.json of a trusted project.`,
    details: { name, known },
  });
}

/**
 * Resolves the endpoint of a server. A server described in settings or options has only its own grants, which
 * are the same for all skills. A server described by a skill also has that skill's grants.
 * `mayRunUncontained` means that the user has approved running the server without a sandbox.
 */
export function serverEndpoint(
  dependencies: ServerDependencies,
  description: ServerDescription,
  mayRunUncontained: boolean,
  by?: Describer,
): ServerEndpoint {
  const { name, timeoutSeconds = usualTimeoutSeconds } = description;
  const { environment } = dependencies.context.ports;
  const own = by === undefined ? undefined : ownVariables(description, by, environment);
  const values = serverValues(
    description,
    own === undefined ? environment : { ...own, ...pathVariables(dependencies, by) },
    by,
  );
  const endpoint =
    description.kind === 'http'
      ? httpEndpoint(description, values)
      : stdioEndpoint(dependencies, description, { values, mayRunUncontained, by, variables: own ?? {} });
  return { name, timeoutMs: timeoutSeconds * 1000, ...endpoint };
}

const usualTimeoutSeconds = 60;

/** Returns the path variables that a skill may use when it describes a server. */
function pathVariables({ context }: ServerDependencies, by: Describer | undefined): Environment {
  return {
    SKILLED_SKILL_DIR: by && folderOf(by.skill),
    SKILLED_PROJECT_DIR: workspaceOf(context.options),
  };
}

/**
 * Returns the variables that the settings give to a skill for its server. The skill need not declare the
 * variables that the server's description uses.
 */
function ownVariables(
  description: ServerDescription,
  { skill, entry }: Describer,
  environment: Environment,
): Readonly<Record<string, string>> {
  const { requires } = skill.card;
  const declared = { ...requires, env: [...(requires?.env ?? []), ...namesIn(description)] };
  return overlayOf(declared, entry, environment).variables;
}
