import { relative } from 'node:path';
import {
  AgentError,
  hashOf,
  visible,
  type ProcessResult,
  type Grant,
  type Permission,
  type Sandbox,
  type SandboxProvider,
  type Skill,
} from '../../core/index.ts';
import { copiesShown } from '../../skills/digest/bundle-files.ts';
import { copyOfShared } from '../../skills/digest/copy-bundle.ts';
import { pluginFiles, type SharingSkill } from '../../skills/digest/shared-modules.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { Kernel } from '../kernel.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { checkedFiles, type Permitted } from '../permissions/attest.ts';
import { folderOf } from '../permissions/skill-files.ts';
import { addNote } from './step.ts';

/**
 * Opens a frame's sandbox on first use and closes it with the frame. The sandbox can read the skill's folder,
 * as a verified copy. A skill that runs commands for its caller can also write to the workspace, has the
 * caller's grants, and can read the skills that the caller loaded. The commands in a skill's text share a
 * sandbox, and each hook has its own. A skill that is defined in code can add folders to read, because its
 * code could read them anyway. Adds notes for rejected changes and for changes to files that users may run
 * later.
 */
export async function openSandbox(
  execution: Execution,
  frame: Frame,
  target: CallTarget,
  permitted: Permitted,
  more: readonly string[] = [],
): Promise<Sandbox> {
  const { sandboxes, grant } = await sandboxFor(execution, frame, target, permitted, more);
  if (!isShared(frame))
    return frame.resources.open('sandbox', async () => noting(execution, frame, await sandboxes.open(grant)));
  const { name, family, file } = target.skill;
  const makes = grant.mayCreateRepositories === true;
  const what = hashOf([
    name,
    family,
    file,
    { ...grant.from },
    { ...frame.options.process?.environment },
    makes,
  ]);
  const { resources } = frame.parent ?? frame;
  const shared = await resources.open(`shared-sandbox:${what}`, () => sandboxes.open(grant));
  return noting(execution, frame, shared);
}

/**
 * Opens a separate sandbox with the grants of a call. The caller must close the sandbox. Because the sandbox
 * can outlive the call, its notes belong to `owner`.
 */
export async function openOwnSandbox(
  execution: Execution,
  owner: Frame,
  { caller, target, permitted }: OwnSandbox,
): Promise<Sandbox> {
  const { sandboxes, grant } = await sandboxFor(execution, caller, target, permitted);
  return noting(execution, owner, await sandboxes.open(grant));
}

interface OwnSandbox {
  readonly caller: Frame;
  readonly target: CallTarget;
  readonly permitted: Permitted;
}

/**
 * Returns the sandbox provider and the grant for a call. Throws `sandbox.unavailable` if the call needs a
 * sandbox and none is available.
 */
async function sandboxFor(
  execution: Execution,
  frame: Frame,
  target: CallTarget,
  permitted: Permitted,
  more: readonly string[] = [],
): Promise<{ readonly sandboxes: SandboxProvider; readonly grant: Grant }> {
  const { sandboxes } = execution.kernel;
  const permission = target.family.permission?.describe?.(target.definition) ?? {};
  const runsProcesses = permission.runsProcesses === true;
  if (sandboxes === undefined || !(mayRunUncontained(target) || (await sandboxes.contains()))) {
    throw new AgentError('sandbox.unavailable', `No sandbox is available for "${target.skill.name}".`, {
      hint: 'Configure a sandbox that works on this machine.',
    });
  }
  const own = await grantOf(execution, frame, target.skill, runsProcesses, permitted);
  const makes = makesRepositories(execution, frame, permission);
  const grant = {
    ...own,
    ...(target.skill.codeDefinition === undefined ? {} : { read: [...own.read, ...more] }),
    ...(makes ? ({ mayCreateRepositories: true } as const) : {}),
  };
  return { sandboxes, grant };
}

/**
 * Wraps a sandbox to add a note for each rejected change, and one for changes to files that users may run
 * later.
 */
function noting(execution: Execution, frame: Frame, sandbox: Sandbox): Sandbox {
  const note = ({ rejected = [], changedPrograms = [] }: ProcessResult): void => {
    for (const { path, reason, movedTo } of rejected) {
      const where = movedTo === undefined ? 'It was undone.' : `It was moved to ${visible(movedTo)}.`;
      const message = `A command changed ${visible(path)}. ${visible(reason)} ${where}`;
      addNote(execution, frame, message, { level: 'warning' });
    }
    if (changedPrograms.length === 0) return;
    const files = changedPrograms.map((path) => relative(execution.kernel.workspace ?? '', path));
    addNote(execution, frame, `Changed files that run programs: ${files.map(visible).join(', ')}`, {
      changedPrograms: files,
    });
  };
  return {
    async run(command, signal) {
      const result = await sandbox.run(command, signal);
      note(result);
      return result;
    },
    async start(command) {
      const live = await sandbox.start(command);
      void live.ended.then(note, () => undefined); // The code that started the process handles its errors.
      return live;
    },
    converse: (command, listener) => sandbox.converse(command, listener),
    read: (path) => sandbox.read(path),
    write: (path, data) => sandbox.write(path, data),
    close: () => sandbox.close(),
  };
}

/** Whether the call creates git repositories, which requires the user's approval. */
function makesRepositories({ kernel }: Execution, { input }: Frame, { parts }: Permission): boolean {
  return input !== undefined && parts?.(input, kernel.workspace ?? '').makesRepositories === true;
}

/** Whether a skill's processes may run without a sandbox, because the user is asked before each call. */
function mayRunUncontained({ family, definition }: CallTarget): boolean {
  const { runsProcesses = false, runsOwnCode = false } = family.permission?.describe?.(definition) ?? {};
  return runsProcesses || runsOwnCode;
}

/** Whether a skill starts processes that would run without a sandbox. */
export async function runsUncontained({ sandboxes }: Kernel, target: CallTarget): Promise<boolean> {
  if (!mayRunUncontained(target)) return false;
  // If this check fails, opening the sandbox reports the reason.
  return (await sandboxes?.contains().catch(() => true)) === false;
}

/**
 * Whether a frame shares a sandbox with other frames. A frame with stdin does not, because stdin belongs to a
 * single event.
 */
function isShared({ options: { asWritten, process } }: Frame): boolean {
  return asWritten === true && process?.stdin === undefined;
}

async function grantOf(
  { kernel, runId, session }: Execution,
  frame: Frame,
  skill: Skill,
  runsProcesses: boolean,
  permitted: Permitted,
): Promise<Grant> {
  const caller = runsProcesses ? frame.parent?.skill : undefined;
  const served = caller === undefined ? [skill] : [skill, caller];
  const loaded = runsProcesses ? [...(frame.parent?.active ?? [])] : [];
  const copies = new Map<string, string | undefined>();
  for (const one of new Set([...served, ...loaded])) {
    const folder = folderOf(one);
    const shared = pluginFiles(one);
    if (folder === undefined && shared.length === 0) continue;
    const { digest, copy } = await checkedFiles(kernel, one, permitted);
    if (digest !== undefined) frame.ran.add(digest);
    for (const module of shared) copies.set(module.path, copy && copyOfShared(copy, module));
    if (folder !== undefined) copies.set(folder, copy);
  }
  const reach = served.map((one) => kernel.reachOf(one));
  const user: Skill & SharingSkill = caller ?? skill;
  return {
    read: [...new Set([...copies.keys(), ...reach.flatMap(({ read }) => read)])],
    ...copiesShown(copies, runsProcesses ? kernel.workspace : undefined),
    write: runsProcesses && kernel.workspace !== undefined ? [kernel.workspace] : [],
    ...kernel.protectedPaths,
    ...(isShared(frame) ? { sharesTemporary: true } : {}),
    hosts: [...new Set(reach.flatMap(({ hosts }) => hosts))],
    environment: {
      ...Object.fromEntries(served.flatMap((one) => Object.entries(kernel.environmentOf(one)))),
      AI_AGENT: 'skilled',
      SKILLED_RUN_ID: runId,
      SKILLED_FRAME_ID: frame.id,
      ...scriptVariables({
        SKILL_DIR: folderOf(user),
        PROJECT_DIR: kernel.workspace,
        SESSION_ID: session,
        PLUGIN_ROOT: user.plugin?.dir,
      }),
      ...ownVariables(frame),
    },
  };
}

/** Returns the paths and the session as environment variables, under the names that skill scripts expect. */
function scriptVariables(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const named = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : ['SKILLED', 'CLAUDE', 'AGENTICK'].map((by) => [`${by}_${name}`, value]),
  );
  return Object.fromEntries(named) as Record<string, string>;
}

/**
 * Returns the environment variables that the caller set, limited to names that cannot change how commands
 * behave.
 */
function ownVariables(frame: Frame): Readonly<Record<string, string>> {
  const given = Object.entries(frame.options.process?.environment ?? {});
  return Object.fromEntries(
    given.filter(([name]) => /^SKILLED_(?:ARGUMENTS|(?:ARG|HOOK|TOOL)_[A-Z0-9_]+)$/.test(name)),
  );
}
