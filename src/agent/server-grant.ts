import type { Grant } from '../core/sandbox.ts';
import type { StdioServer } from '../core/servers/tool-server.ts';
import { folderOf, placesOfSkills } from '../run/permissions/skill-files.ts';
import { baseEnvironment } from '../skills/environment.ts';
import { copiesShown } from '../skills/shown-copies.ts';
import { folderAt } from './folder-at.ts';
import { guardedPlaces } from './guarded-places.ts';
import type { Describer, ServerGround } from './server-ground.ts';
import { workspaceOf } from './workspace.ts';

/** What a server is granted beyond its description. */
interface Terms {
  /** What it may do with the workspace. */
  readonly access: 'read' | 'write' | undefined;
  /** Its own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly by: Describer | undefined;
}

/** What a server that is started here may touch: what its description says and, where a skill describes it, what that was granted. */
export function serverGrant(
  { options, ports, skills }: ServerGround['lender'],
  { hosts = [], read = [] }: StdioServer,
  { access, environment, by }: Terms,
): Grant {
  const guarded = guardedPlaces(options, ports);
  const workspace = access === undefined ? undefined : workspaceOf(options);
  const own = by === undefined ? undefined : folderOf(by.skill);
  const shown = [workspace, own].filter((folder) => folder !== undefined);
  const isWritten = access === 'write' && workspace !== undefined;
  const folders = [...read, ...(by?.entry?.read ?? [])].map((folder) => folderAt(folder, ports.home));
  return {
    read: [...new Set([...shown.filter((folder) => !isWritten || folder !== workspace), ...folders])],
    ...copiesShown(own === undefined ? [] : [[own, by?.copy]], workspace),
    write: isWritten ? [workspace] : [],
    ...guarded,
    ...(isWritten
      ? { keep: [...(guarded.keep ?? []), ...placesOfSkills(skills.snapshot().skills, workspace)] }
      : {}),
    hosts: [...new Set([...hosts, ...(by?.entry?.hosts ?? [])])],
    environment: {
      ...baseEnvironment(ports.environment),
      ...environment,
      AI_AGENT: 'skilled',
      ...(own === undefined ? {} : { SKILLED_SKILL_DIR: own }),
      ...(workspace === undefined ? {} : { SKILLED_PROJECT_DIR: workspace }),
    },
  };
}
