import { AgentError } from '../core/error.ts';
import { didYouMean } from '../core/names.ts';
import type { Skill } from '../core/skill.ts';
import type { ServerDescription, ToolServer } from '../core/tool-server.ts';
import type { SkillEntry } from '../skills/skill-settings.ts';
import type { Lender } from './lender.ts';
import type { ServerGround } from './server-ground.ts';
import { serverPlace } from './server-place.ts';

/** The servers that options and settings know, options first; the first of a name counts. */
export function knownServers({ options, setUp }: Lender): readonly ServerDescription[] {
  const all = [...(options.mcpServers ?? []), ...(setUp.settings.servers ?? [])];
  return all.filter(({ name }, index) => index === all.findIndex((other) => other.name === name));
}

/** Who asks for a server. */
export interface ServerAsker {
  readonly skill: Skill;
  /** What settings say about the skill. */
  readonly entry: SkillEntry | undefined;
  /** A person allowed its processes to run where nothing contains them. */
  readonly mayRunUncontained: boolean;
}

/** Makes a server for a skill, by its name or its description; throws `usage.bad-settings` for a name that nobody knows. */
export async function openServer(
  ground: ServerGround & { readonly lender: Lender },
  which: string | ServerDescription,
  { skill, entry, mayRunUncontained }: ServerAsker,
): Promise<ToolServer> {
  const { ports } = ground.lender;
  if (typeof which === 'object')
    return ports.openServer(serverPlace(ground, which, mayRunUncontained, { skill, entry }));
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
