import { resolve, sep } from 'node:path';
import {
  AgentError,
  optional,
  type Grant,
  type Sandbox,
  type ServerEndpoint,
  type StdioServer,
} from '../../core/index.ts';
import { isWithin } from '../../files/index.ts';
import { folderOf, workspaceSkillPaths } from '../../run/permissions/skill-files.ts';
import { copiesShown } from '../../skills/digest/bundle-files.ts';
import { baseEnvironment, isRefusedVariable } from '../../skills/eligibility/environment.ts';
import { folderAt, workspaceOf } from '../options.ts';
import { findProtectedPaths } from '../protected-paths.ts';
import type { Describer, ServerDependencies, ServerValues } from './server-values.ts';

/** The parameters that determine how a server is started. */
interface StdioTerms {
  readonly values: ServerValues;
  readonly mayRunUncontained: boolean;
  readonly by: Describer | undefined;
  /** The variables that settings give to the skill that describes the server. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Resolves the command that starts a server, and the server's access rights. Throws `usage.bad-settings` if
 * the settings for the server require something that is not available.
 */
export function stdioEndpoint(
  dependencies: ServerDependencies,
  description: StdioServer,
  { values, mayRunUncontained, by, variables }: StdioTerms,
): Omit<ServerEndpoint & { kind: 'stdio' }, 'name' | 'timeoutMs'> {
  const { options, ports } = dependencies.context;
  const workspace = workspaceOf(options);
  const access = description.workspace ?? by?.entry?.workspace;
  if (access !== undefined && workspace === undefined) throw withoutWorkspace(description.name);
  const own = by === undefined ? undefined : folderOf(by.skill);
  const environment = { ...variables, ...environmentOf(description, values) };
  const near = description.near ?? (workspace === undefined || isOfUser(by) ? [] : [workspace]);
  return {
    kind: 'stdio',
    command: programPath(values.fill(description.command), own ?? near[0]),
    args: description.args.map((text) => values.fill(text)),
    ...optional('folder', access === undefined ? own : workspace),
    near: own === undefined ? near : [own, ...near],
    path: ports.environment['PATH'] ?? '',
    ...(own === undefined || by?.copy === undefined ? {} : { copy: { of: own, folder: by.copy } }),
    openSandbox: async (read) => {
      const grant = serverGrant(dependencies.context, description, { access, environment, by });
      if (
        access === undefined &&
        workspace !== undefined &&
        !grant.read.some((one) => isWithin(workspace, one))
      )
        mustNotHold(workspace, description.name, read);
      return open(dependencies, description.name, mayRunUncontained, {
        ...grant,
        read: [...grant.read, ...read],
      });
    },
  };
}

/**
 * Whether a server is described by the user's own skill or a bundled skill. The programs of such servers are
 * not searched for in a project, where a malicious program could impersonate the real one and gain its access
 * rights.
 */
function isOfUser(by: Describer | undefined): boolean {
  return by?.skill.source === 'user' || by?.skill.source === 'bundled';
}

/**
 * Throws if a folder of the server's program contains the workspace, because the server may read that folder
 * and would therefore gain access to the workspace.
 */
function mustNotHold(workspace: string, name: string, folders: readonly string[]): void {
  const folder = folders.find((one) => isWithin(workspace, one));
  if (folder === undefined) return;
  throw new AgentError(
    'usage.bad-settings',
    `The server "${name}" runs a program in ${folder}, so the program could read the whole workspace.`,
    { hint: 'Set "workspace" to "read" for the server, or move its program to a separate folder.' },
  );
}

/**
 * Resolves a relative program path against the folder that contains the server's description. A program name
 * without a slash is returned unchanged and looked up later.
 */
function programPath(command: string, folder: string | undefined): string {
  const isPath = command.includes('/') || command.includes(sep);
  return isPath && folder !== undefined ? resolve(folder, command) : command;
}

async function open(
  { sandboxes }: ServerDependencies,
  name: string,
  mayRunUncontained: boolean,
  grant: Parameters<ServerDependencies['sandboxes']['open']>[0],
): Promise<Sandbox> {
  if (mayRunUncontained || (await sandboxes.contains())) return sandboxes.open(grant);
  throw new AgentError('sandbox.unavailable', `No sandbox is available for the server "${name}".`, {
    hint: 'Run `skilled doctor` to see what is missing on this machine.',
  });
}

/** Resolves the server's own variables. Throws if a variable would change which program runs, or how. */
function environmentOf(
  { name, env }: StdioServer,
  { resolve }: ServerValues,
): Readonly<Record<string, string>> {
  const pairs = Object.entries(env).map(([key, value]): [string, string] => {
    if (isRefusedVariable(key))
      throw unusable(
        name,
        `sets ${key}: variables that control programs or the network cannot be overridden`,
      );
    const text = resolve(value);
    if (text.includes('\0')) throw unusable(name, `has a value for ${key} that contains a NUL character`);
    return [key, text];
  });
  return Object.fromEntries(pairs);
}

function unusable(name: string, why: string): AgentError {
  return new AgentError('usage.bad-settings', `The server "${name}" ${why}.`, {
    hint: 'Remove the variable from "env" in the server entry.',
  });
}

function withoutWorkspace(name: string): AgentError {
  return new AgentError('usage.bad-settings', `The server "${name}" needs a workspace, but none is set.`, {
    hint: 'Set a workspace for the agent, or start the program in a project folder.',
  });
}

/** The access granted to a server in addition to what its description specifies. */
interface Terms {
  /** The server's access to the workspace. */
  readonly access: 'read' | 'write' | undefined;
  /** The environment variables set for this server only. */
  readonly environment: Readonly<Record<string, string>>;
  readonly by: Describer | undefined;
}

/**
 * Returns the access rights of a local server process: the server's own grants and, if a skill describes the
 * server, that skill's grants.
 */
function serverGrant(
  { options, ports, skills }: ServerDependencies['context'],
  { hosts = [], read = [] }: StdioServer,
  { access, environment, by }: Terms,
): Grant {
  const protectedPaths = findProtectedPaths(options, ports);
  const workspace = access === undefined ? undefined : workspaceOf(options);
  const own = by === undefined ? undefined : folderOf(by.skill);
  const shown = [workspace, own].filter((folder) => folder !== undefined);
  const isWritten = access === 'write' && workspace !== undefined;
  const folders = [...read, ...(by?.entry?.read ?? [])].map((folder) => folderAt(folder, ports.home));
  return {
    read: [...new Set([...shown.filter((folder) => !isWritten || folder !== workspace), ...folders])],
    ...copiesShown(own === undefined ? [] : [[own, by?.copy]], workspace),
    write: isWritten ? [workspace] : [],
    ...protectedPaths,
    ...(isWritten
      ? {
          readOnly: [
            ...(protectedPaths.readOnly ?? []),
            ...workspaceSkillPaths(skills.snapshot().skills, workspace),
          ],
        }
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
