import type { ServerDescription, ServerPlace } from '../core/servers/tool-server.ts';
import { folderOf } from '../run/permissions/skill-files.ts';
import { overlayOf, type Environment } from '../skills/environment.ts';
import { httpPlace } from './http-place.ts';
import type { Describer, ServerGround } from './server-ground.ts';
import { serverValues } from './server-values.ts';
import { stdioPlace } from './stdio-place.ts';
import { namesIn } from './names-in-server.ts';
import { workspaceOf } from './workspace.ts';

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
