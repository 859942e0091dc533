import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { reasonOf } from '../core/error.ts';
import type { Command, CommandResult } from '../core/sandbox.ts';
import { systemCode } from '../files/file-fault.ts';
import { holdHost } from './hold-host.ts';
import { notStarted } from './not-started.ts';
import type { Over } from './watch-limits.ts';
import { graceMs } from './within-grace.ts';

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
    await wait(10); // nothing tells that a group is empty
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
