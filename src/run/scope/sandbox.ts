import { relative } from 'node:path';
import {
  AgentError,
  hashOf,
  visible,
  type CommandResult,
  type Grant,
  type Permission,
  type Sandbox,
  type Skill,
} from '../../core/index.ts';
import { copiesShown } from '../../skills/digest/bundle-files.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { Kernel } from '../kernel.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { checkedFiles, type Permitted } from '../permissions/attest.ts';
import { folderOf } from '../permissions/skill-files.ts';
import { addNote } from './step.ts';

/**
 * The sandbox of a frame: opened on first use, closed with the frame. It may read the skill's own folder, of which it
 * sees a checked copy that cannot be changed. One that runs processes for others, as a person allowed, also writes to the
 * workspace, and acts for the skill that calls it: it has what that one was granted, and reads the skills which that one
 * loaded. Commands in the text of a skill share one, closed with the frame of the skill; hooks have their own. A skill
 * defined in code may name more folders to read: it could read them anyway. The frame notes what was rejected, and
 * changes to files that people run later.
 */
export async function openSandbox(
  execution: Execution,
  frame: Frame,
  target: CallTarget,
  permitted: Permitted,
  more: readonly string[] = [],
): Promise<Sandbox> {
  const { sandboxes } = execution.kernel;
  const permission = target.family.permission?.describe?.(target.definition) ?? {};
  const runsProcesses = permission.runsProcesses === true;
  if (sandboxes === undefined || !(mayRunUncontained(target) || (await sandboxes.contains()))) {
    throw new AgentError(
      'sandbox.unavailable',
      `There is no sandbox for "${target.skill.name}" to work in.`,
      {
        hint: 'Give the agent one that fits this machine.',
      },
    );
  }
  const own = await grantOf(execution, frame, target.skill, runsProcesses, permitted);
  const makes = makesRepositories(execution, frame, permission);
  const grant = {
    ...own,
    ...(target.skill.made === undefined ? {} : { read: [...own.read, ...more] }),
    ...(makes ? ({ mayCreateRepositories: true } as const) : {}),
  };
  if (!isShared(frame))
    return frame.keeper.keep('sandbox', async () => noting(execution, frame, await sandboxes.open(grant)));
  const { name, family, file } = target.skill;
  const what = hashOf([
    name,
    family,
    file,
    { ...own.from },
    { ...frame.options.process?.environment },
    makes,
  ]);
  const { keeper } = frame.parent ?? frame;
  const shared = await keeper.keep(`shared-sandbox:${what}`, () => sandboxes.open(grant));
  return noting(execution, frame, shared);
}

/** Adds a note for each change that was rejected, and one for files that people run later. */
function noting(execution: Execution, frame: Frame, sandbox: Sandbox): Sandbox {
  const note = ({ rejected = [], changedPrograms = [] }: CommandResult): void => {
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
      void live.ended.then(note, () => undefined); // its user gets the error
      return live;
    },
    converse: (command, listener) => sandbox.converse(command, listener),
    read: (path) => sandbox.read(path),
    write: (path, data) => sandbox.write(path, data),
    close: () => sandbox.close(),
  };
}

/** Whether the call makes git repositories: a person was asked about exactly this call. */
function makesRepositories({ kernel }: Execution, { input }: Frame, { parts }: Permission): boolean {
  return input !== undefined && parts?.(input, kernel.workspace ?? '').makesRepositories === true;
}

/** Whether processes of a skill start even where nothing contains them: a person is asked for each of its calls there. */
function mayRunUncontained({ family, definition }: CallTarget): boolean {
  const { runsProcesses = false, runsOwnCode = false } = family.permission?.describe?.(definition) ?? {};
  return runsProcesses || runsOwnCode;
}

/** Whether processes of a skill, if it starts any, would run with nothing that contains them. */
export async function runsUncontained({ sandboxes }: Kernel, target: CallTarget): Promise<boolean> {
  if (!mayRunUncontained(target)) return false;
  return (await sandboxes?.contains().catch(() => true)) === false; // why there is none is told when it is opened
}

/** What stands on stdin is about one moment, and so are the variables beside it. */
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
    if (folder === undefined) continue;
    const { digest, copy } = await checkedFiles(kernel, one, permitted);
    if (digest !== undefined) frame.ran.add(digest);
    copies.set(folder, copy);
  }
  const reach = served.map((one) => kernel.reachOf(one));
  const folder = folderOf(caller ?? skill);
  return {
    read: [...new Set([...copies.keys(), ...reach.flatMap(({ read }) => read)])],
    ...copiesShown(copies, runsProcesses ? kernel.workspace : undefined),
    write: runsProcesses && kernel.workspace !== undefined ? [kernel.workspace] : [],
    ...kernel.guarded,
    ...(isShared(frame) ? { sharesTemporary: true } : {}),
    hosts: [...new Set(reach.flatMap(({ hosts }) => hosts))],
    environment: {
      ...Object.fromEntries(served.flatMap((one) => Object.entries(kernel.environmentOf(one)))),
      AI_AGENT: 'skilled',
      SKILLED_RUN_ID: runId,
      SKILLED_FRAME_ID: frame.id,
      ...placeVariables({ SKILL_DIR: folder, PROJECT_DIR: kernel.workspace, SESSION_ID: session }),
      ...ownVariables(frame),
    },
  };
}

/** Where a process works, under the names that scripts of skills know. */
function placeVariables(places: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const named = Object.entries(places).flatMap(([name, value]) =>
    value === undefined ? [] : ['SKILLED', 'CLAUDE', 'AGENTICK'].map((by) => [`${by}_${name}`, value]),
  );
  return Object.fromEntries(named) as Record<string, string>;
}

/** Variables that the caller gives; under other names they could change what a command means. */
function ownVariables(frame: Frame): Readonly<Record<string, string>> {
  const given = Object.entries(frame.options.process?.environment ?? {});
  return Object.fromEntries(
    given.filter(([name]) => /^SKILLED_(?:ARGUMENTS|(?:ARG|HOOK|TOOL)_[A-Z0-9_]+)$/.test(name)),
  );
}
