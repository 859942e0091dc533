import { resolve, sep } from 'node:path';
import {
  AgentError,
  optional,
  type Grant,
  type Sandbox,
  type ServerPlace,
  type StdioServer,
} from '../../core/index.ts';
import { isWithin } from '../../files/index.ts';
import { folderOf, placesOfSkills } from '../../run/permissions/skill-files.ts';
import { copiesShown } from '../../skills/digest/bundle-files.ts';
import { baseEnvironment, isRefusedVariable } from '../../skills/eligibility/environment.ts';
import { folderAt, workspaceOf } from '../options.ts';
import { guardedPlaces } from '../protected-paths.ts';
import type { Describer, ServerGround, ServerValues } from './server-values.ts';

/** What decides how a server is started. */
interface StdioTerms {
  readonly values: ServerValues;
  readonly mayRunUncontained: boolean;
  readonly by: Describer | undefined;
  /** What settings give to the skill that describes it. */
  readonly variables: Readonly<Record<string, string>>;
}

/** How a server is started here, and what it may touch; throws `usage.bad-settings` where its entry asks for what cannot be. */
export function stdioPlace(
  ground: ServerGround,
  description: StdioServer,
  { values, mayRunUncontained, by, variables }: StdioTerms,
): Omit<ServerPlace & { kind: 'stdio' }, 'name' | 'timeoutMs'> {
  const { options, ports } = ground.lender;
  const workspace = workspaceOf(options);
  const access = description.workspace ?? by?.entry?.workspace;
  if (access !== undefined && workspace === undefined) throw withoutWorkspace(description.name);
  const own = by === undefined ? undefined : folderOf(by.skill);
  const environment = { ...variables, ...environmentOf(description, values) };
  const near = description.near ?? (workspace === undefined || isOfUser(by) ? [] : [workspace]);
  return {
    kind: 'stdio',
    command: placeOf(values.fill(description.command), own ?? near[0]),
    args: description.args.map((text) => values.fill(text)),
    ...optional('folder', access === undefined ? own : workspace),
    near: own === undefined ? near : [own, ...near],
    path: ports.environment['PATH'] ?? '',
    ...(own === undefined || by?.copy === undefined ? {} : { copy: { of: own, folder: by.copy } }),
    openSandbox: async (read) => {
      const grant = serverGrant(ground.lender, description, { access, environment, by });
      if (
        access === undefined &&
        workspace !== undefined &&
        !grant.read.some((one) => isWithin(workspace, one))
      )
        mustNotHold(workspace, description.name, read);
      return open(ground, description.name, mayRunUncontained, { ...grant, read: [...grant.read, ...read] });
    },
  };
}

/** A program for a skill of the user's own is not looked for in a project, which may be anybody's: it would get what was meant for the other. */
function isOfUser(by: Describer | undefined): boolean {
  return by?.skill.source === 'user' || by?.skill.source === 'bundled';
}

/** A server reads the folder of its program: nobody granted it the workspace by that. */
function mustNotHold(workspace: string, name: string, folders: readonly string[]): void {
  const folder = folders.find((one) => isWithin(workspace, one));
  if (folder === undefined) return;
  throw new AgentError(
    'usage.bad-settings',
    `The program of the server "${name}" lies in ${folder}, so that it would read the whole workspace.`,
    { hint: 'Set "workspace" of the server to "read", or put its program into a folder of its own.' },
  );
}

/** A path of a program starts from the folder of whoever describes it; a bare name is looked for. */
function placeOf(command: string, folder: string | undefined): string {
  const isPath = command.includes('/') || command.includes(sep);
  return isPath && folder !== undefined ? resolve(folder, command) : command;
}

async function open(
  { sandboxes }: ServerGround,
  name: string,
  mayRunUncontained: boolean,
  grant: Parameters<ServerGround['sandboxes']['open']>[0],
): Promise<Sandbox> {
  if (mayRunUncontained || (await sandboxes.contains())) return sandboxes.open(grant);
  throw new AgentError('sandbox.unavailable', `There is no sandbox for the server "${name}" to run in.`, {
    hint: 'Run `skilled doctor` to see what this machine lacks.',
  });
}

/** Its own variables, plain; none of those that change what programs mean. */
function environmentOf(
  { name, env }: StdioServer,
  { resolve }: ServerValues,
): Readonly<Record<string, string>> {
  const pairs = Object.entries(env).map(([key, value]): [string, string] => {
    if (isRefusedVariable(key))
      throw unusable(name, `sets ${key}: variables that steer programs or the network are never overridden`);
    const text = resolve(value);
    if (text.includes('\0')) throw unusable(name, `has a value for ${key} with a NUL character`);
    return [key, text];
  });
  return Object.fromEntries(pairs);
}

function unusable(name: string, why: string): AgentError {
  return new AgentError('usage.bad-settings', `The server "${name}" ${why}.`, {
    hint: 'Take it out of the "env" of the server.',
  });
}

function withoutWorkspace(name: string): AgentError {
  return new AgentError(
    'usage.bad-settings',
    `The server "${name}" works on the workspace, and there is none.`,
    {
      hint: 'Give the agent a workspace, or start the program in a folder.',
    },
  );
}

/** What a server is granted beyond its description. */
interface Terms {
  /** What it may do with the workspace. */
  readonly access: 'read' | 'write' | undefined;
  /** Its own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly by: Describer | undefined;
}

/** What a server that is started here may touch: what its description says and, where a skill describes it, what that was granted. */
function serverGrant(
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
