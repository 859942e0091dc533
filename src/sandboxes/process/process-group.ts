import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import {
  AgentError,
  pause,
  reasonOf,
  settlesWithin,
  type ProcessCommand,
  type ProcessResult,
} from '../../core/index.ts';
import { systemCode } from '../../files/index.ts';
import type { Over } from '../bubblewrap/limits.ts';

/** Waits for a group's first process to end. After `timeoutMs`, ends the whole group. */
export async function exitWithin(
  group: ProcessGroup,
  timeoutMs?: number,
): Promise<Pick<ProcessResult, 'exitCode' | 'timedOut'>> {
  if (timeoutMs === undefined) return { exitCode: await group.exited };
  if (await settlesWithin(timeoutMs, group.exited)) return { exitCode: await group.exited };
  void group.end();
  await group.exited;
  return { exitCode: null, timedOut: true };
}

/** The changes of a process that were rejected, and the programs that it changed. */
export type SettledChanges = Pick<ProcessResult, 'rejected' | 'changedPrograms'>;

/** A process and its descendants. Without a sandbox, descendants can leave the group. */
export interface ProcessGroup {
  /** The stdin of the first process, or null if it is not connected. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The channel on file descriptor 3 of the first process, or null if it has none. */
  readonly channel: Duplex | null;
  /** The first process's exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Resolves when the first process has ended and no other process keeps the output streams open. */
  readonly closed: Promise<void>;
  /**
   * Returns the limit that the group exceeded, if it was killed for exceeding one. Absent if there are no
   * limits.
   */
  over?(): Over | undefined;
  /** Asks all processes in the group to end, and kills those still running after the grace period. */
  end(): Promise<void>;
  /** Undoes changes to protected paths. Must be called once, after `end` and before the result is used. */
  settle?(): Promise<SettledChanges>;
  /** Sets whether this process stays alive while the group runs. Defaults to true. */
  hold(holds: boolean): void;
  /** Stops reading the group's output, even if a process still keeps it open. */
  release(): void;
}

/** The connections that a process has in addition to its output. */
export interface ProcessHandles {
  /** Whether the process's stdin is connected. */
  readonly reads: boolean;
  /** Whether the process has a channel on file descriptor 3. */
  readonly hasChannel: boolean;
  /** Whether the process exchanges messages and outlives a single command. */
  readonly isLive?: boolean;
}

/** Starts a command as the first process of a new group. Throws if the command cannot be started. */
export async function startGroup(
  { program, arguments: args }: ProcessCommand,
  environment: Readonly<Record<string, string>>,
  folder: string,
  { reads, hasChannel }: ProcessHandles,
): Promise<ProcessGroup> {
  const child = await spawned(program, () =>
    spawn(program, args, {
      cwd: folder,
      env: { ...environment },
      detached: true,
      stdio: [reads ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(hasChannel ? (['pipe'] as const) : [])],
    }),
  );
  const id = child.pid;
  const { stdin, stdout, stderr } = child;
  if (id === undefined || stdout === null || stderr === null) throw new Error('a process without pipes');
  // Ignores errors, because the process may end before it has read all its input.
  stdin?.on('error', () => undefined);
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
    await pause(10); // Poll, because no event signals that a group has become empty.
    isThere = send(id, 0);
  }
  if (isThere) send(id, 'SIGKILL');
}

/** Sends a signal to a group. Returns whether a process received it. */
function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    return false; // The group has no processes left.
  }
}

const groups = new Set<number>();
let isWatching = false;

/**
 * Remembers a group, so that it is killed if this process exits without ending it. Groups survive if this
 * process itself is killed.
 */
function remember(id: number): void {
  groups.add(id);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const group of groups) send(group, 'SIGKILL');
  });
}

/** The time between asking processes to end and killing them, in milliseconds. */
const graceMs = 500;

/** Resolves when the promise settles, or after the grace period. */
export async function withinGrace(happened: Promise<unknown>): Promise<void> {
  await settlesWithin(graceMs, happened);
}

/** Sets whether this process stays alive while a child runs or its streams are open. */
export function holdHost(child: ChildProcess, holds: boolean): void {
  const streams = child.stdio as readonly (Socket | null | undefined)[];
  const open = streams.filter((stream) => stream?.destroyed === false);
  for (const each of [child, ...open]) each?.[holds ? 'ref' : 'unref']();
}

/** Resolves when a stream has no more data. Must be called before the stream ends. */
export async function waitForEnd(stream: Readable): Promise<void> {
  await new Promise((resolve) => stream.once('end', resolve).once('close', resolve));
}

/** Creates the error for a program that failed to start. `code` is the error code of the system. */
export function notStarted(program: string, code: string | undefined, reason: string): AgentError {
  if (code === 'ENOENT') {
    return new AgentError('usage.not-found', `The program "${program}" was not found.`, {
      hint: 'Install the program, or pass the path to another one.',
    });
  }
  if (code === 'E2BIG') {
    return new AgentError(
      'limit.too-large',
      `The arguments for "${program}" are too long for this machine.`,
      {
        hint: 'Write the arguments to a file, and pass its path.',
      },
    );
  }
  const isMisuse = code === 'ERR_INVALID_ARG_VALUE' || code === 'EACCES';
  return new AgentError(
    isMisuse ? 'usage.bad-input' : 'skill.failed',
    `"${program}" failed to start: ${reason}`,
  );
}
