import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import {
  AgentError,
  pause,
  reasonOf,
  settlesWithin,
  type Command,
  type CommandResult,
} from '../../core/index.ts';
import { systemCode } from '../../files/index.ts';
import type { Over } from '../bubblewrap/limits.ts';

/** How the first process of a group ends; after so many milliseconds the whole group is ended. */
export async function exitWithin(
  group: ProcessGroup,
  timeoutMs?: number,
): Promise<Pick<CommandResult, 'exitCode' | 'timedOut'>> {
  if (timeoutMs === undefined) return { exitCode: await group.exited };
  if (await settlesWithin(timeoutMs, group.exited)) return { exitCode: await group.exited };
  void group.end();
  await group.exited;
  return { exitCode: null, timedOut: true };
}

/** What is known of the changes that a process made. */
export type SettledChanges = Pick<CommandResult, 'rejected' | 'changedPrograms'>;

/** A process with everything that it starts and does not send away into a group of its own. */
export interface ProcessGroup {
  /** Null where it reads nothing. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its handle 3; null where it has none. */
  readonly channel: Duplex | null;
  /** The exit code of the first process; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Resolves when the first process has ended and nobody holds its output open any more. */
  readonly closed: Promise<void>;
  /** The limit that they were killed for; undefined where nothing is limited. */
  over?(): Over | undefined;
  /** Asks all of them to end, and kills those that have not within the grace. */
  end(): Promise<void>;
  /** Undoes changes to protected paths; called once, after `end` and before anyone uses the result. */
  settle?(): Promise<SettledChanges>;
  /** Whether it keeps this process alive, as it does at first. */
  hold(holds: boolean): void;
  /** Lets go of its output, whoever still holds it open. */
  release(): void;
}

/** What a process finds open beside its output. */
export interface ProcessHandles {
  /** Whether it gets something to read. */
  readonly reads: boolean;
  /** Whether it finds a handle 3. */
  readonly hasChannel: boolean;
  /** Whether it lives longer than one command, and is talked with. */
  readonly isLive?: boolean;
}

/** Starts a command as the first process of a new group; throws when it cannot be started. */
export async function startGroup(
  { program, arguments: words }: Command,
  environment: Readonly<Record<string, string>>,
  folder: string,
  { reads, hasChannel }: ProcessHandles,
): Promise<ProcessGroup> {
  const child = await spawned(program, () =>
    spawn(program, words, {
      cwd: folder,
      env: { ...environment },
      detached: true,
      stdio: [reads ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(hasChannel ? (['pipe'] as const) : [])],
    }),
  );
  const id = child.pid;
  const { stdin, stdout, stderr } = child;
  if (id === undefined || stdout === null || stderr === null) throw new Error('a process without pipes');
  stdin?.on('error', () => undefined); // it ended without reading everything, as it may
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const closed = once(child, 'close').then(() => undefined);
  let ending: Promise<void> | undefined;
  remember(id);
  return {
    stdin,
    stdout,
    stderr,
    channel: (child.stdio[3] as Duplex | null | undefined) ?? null,
    exited,
    closed,
    end: () => (ending ??= endGroup(id).finally(() => groups.delete(id))),
    hold: (holds) => holdHost(child, holds),
    release() {
      stdout.destroy();
      stderr.destroy();
    },
  };
}

async function spawned(program: string, start: () => ChildProcess): Promise<ChildProcess> {
  try {
    const child = start();
    await once(child, 'spawn');
    return child;
  } catch (thrown) {
    throw notStarted(program, systemCode(thrown), reasonOf(thrown));
  }
}

async function endGroup(id: number): Promise<void> {
  const until = performance.now() + graceMs;
  let isThere = send(id, 'SIGTERM');
  while (isThere && performance.now() < until) {
    await pause(10); // nothing tells that a group is empty
    isThere = send(id, 0);
  }
  if (isThere) send(id, 'SIGKILL');
}

/** Whether anybody in the group was there to get it. */
function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    return false; // nobody is left
  }
}

const groups = new Set<number>();
let isWatching = false;

/** A process that exits without closing its sandboxes takes its groups along; one that is killed cannot. */
function remember(id: number): void {
  groups.add(id);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const group of groups) send(group, 'SIGKILL');
  });
}

/** Milliseconds that processes have to end by themselves before they are killed. */
const graceMs = 500;

/** Resolves when something has happened, or after the grace. */
export async function withinGrace(happened: Promise<unknown>): Promise<void> {
  await settlesWithin(graceMs, happened);
}

/** Says whether a child and its streams keep this process alive. */
export function holdHost(child: ChildProcess, holds: boolean): void {
  const streams = child.stdio as readonly (Socket | null | undefined)[];
  const open = streams.filter((stream) => stream?.destroyed === false);
  for (const each of [child, ...open]) each?.[holds ? 'ref' : 'unref']();
}

/** Resolves when nothing more comes from a stream; asked before its end. */
export async function isHeard(stream: Readable): Promise<void> {
  await new Promise((resolve) => stream.once('end', resolve).once('close', resolve));
}

/** Why a program was not started, from the short name that the system has for the reason. */
export function notStarted(program: string, code: string | undefined, reason: string): AgentError {
  if (code === 'ENOENT') {
    return new AgentError('usage.not-found', `There is no program "${program}".`, {
      hint: 'Install it, or give the path of another one.',
    });
  }
  if (code === 'E2BIG') {
    return new AgentError('limit.too-large', `The words for "${program}" are too long for this machine.`, {
      hint: 'Write them to a file, and give the path of that.',
    });
  }
  const isMisuse = code === 'ERR_INVALID_ARG_VALUE' || code === 'EACCES';
  return new AgentError(
    isMisuse ? 'usage.bad-input' : 'skill.failed',
    `"${program}" could not be started: ${reason}`,
  );
}
