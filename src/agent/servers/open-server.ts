import {
  AgentError,
  didYouMean,
  type ServerDescription,
  type ServerPlace,
  type ToolServer,
} from '../../core/index.ts';
import type { ServerAsker } from '../../run/kernel.ts';
import { folderOf } from '../../run/permissions/skill-files.ts';
import { overlayOf, type Environment } from '../../skills/eligibility/environment.ts';
import { workspaceOf } from '../options.ts';
import { namesIn } from '../redaction.ts';
import type { Lender } from '../setup.ts';
import { httpPlace } from './http-server.ts';
import { serverValues, type Describer, type ServerGround } from './server-values.ts';
import { stdioPlace } from './stdio-server.ts';

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

/**
 * Everything that it takes to reach a server. One that settings or options describe has what these grant, the same for all
 * skills; one that a skill describes has what that was granted besides. `mayRunUncontained`: it starts even where nothing
 * contains it, since a person allowed that.
 */
export function serverPlace(
  ground: ServerGround,
  description: ServerDescription,
  mayRunUncontained: boolean,
  by?: Describer,
): ServerPlace {
  const { name, timeoutSeconds = usualTimeoutSeconds } = description;
  const { environment } = ground.lender.ports;
  const own = by === undefined ? undefined : ownVariables(description, by, environment);
  const values = serverValues(
    description,
    own === undefined ? environment : { ...own, ...placesFor(ground, by) },
    by,
  );
  const place =
    description.kind === 'http'
      ? httpPlace(description, values)
      : stdioPlace(ground, description, { values, mayRunUncontained, by, variables: own ?? {} });
  return { name, timeoutMs: timeoutSeconds * 1000, ...place };
}

const usualTimeoutSeconds = 60;

/** Where things lie, for the texts of a skill's own description. */
function placesFor({ lender }: ServerGround, by: Describer | undefined): Environment {
  return {
    SKILLED_SKILL_DIR: by && folderOf(by.skill),
    SKILLED_PROJECT_DIR: workspaceOf(lender.options),
  };
}

/** What settings give to the skill; a variable that its description names counts as declared. */
function ownVariables(
  description: ServerDescription,
  { skill, entry }: Describer,
  environment: Environment,
): Readonly<Record<string, string>> {
  const { requires } = skill.card;
  const declared = { ...requires, env: [...(requires?.env ?? []), ...namesIn(description)] };
  return overlayOf(declared, entry, environment).variables;
}
