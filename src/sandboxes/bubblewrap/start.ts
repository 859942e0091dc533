import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { AgentError, crashReason, settlesWithin } from '../../core/index.ts';
import { createOutputBuffer } from '../process/output.ts';
import {
  holdHost,
  waitForEnd,
  notStarted,
  withinGrace,
  type ProcessGroup,
} from '../process/process-group.ts';
import { findMissingProgram, notVisible } from '../programs/missing-programs.ts';
import { handles, limitsOf } from './command-line.ts';
import { watchLimits, type Namespace, type Over } from './limits.ts';
import { createMemoryGroup, type MemoryGroup } from './memory-group.ts';
import { spawnSandboxed, type SandboxedCommand, type Spawned } from './spawn.ts';

/** A sandboxed command with all processes that it starts, even if they leave its process group. */
interface SandboxedProcess extends ProcessGroup {
  readonly namespace: Namespace;
}

/**
 * Starts a command in a sandbox. Throws `sandbox.unavailable` with the reason if the sandbox fails to
 * start.
 */
export async function startSandboxed(options: SandboxedCommand): Promise<SandboxedProcess> {
  const spawned = await spawnSandboxed(options);
  const { child, streamAt, memoryFolders, git } = spawned;
  const [stdout, stderr, controlStream] = [handles.stdout, handles.stderr, handles.control].map(streamAt);
  if (stdout == null || stderr == null || controlStream == null) throw new Error('a process without pipes');
  const control = listenToControl(controlStream);
  const first = await waitUntilReady(spawned, control, options).catch((thrown: unknown) => {
    child.kill('SIGKILL');
    controlStream.destroy(); // This ends the script if it is still waiting for `go`.
    git.discard();
    throw thrown;
  });
  const limits = limitsOf(options.grant);
  const memory = joinMemoryGroup(first, limits.memoryBytes);
  const namespace = { first, memoryFolders, memory };

  let over: Over | undefined;
  let isEnding = false;
  let ended: Ended | undefined;
  const isThere = (): boolean => child.exitCode === null && child.signalCode === null;
  const checkMemory = (): void => {
    if (memory?.isOver() !== true) return;
    over = 'memory';
    isEnding = true;
  };
  const gone = (isThere() ? once(child, 'exit') : Promise.resolve()).then(() => {
    stopWatch();
    checkMemory();
    memory?.remove();
  });
  const kill = async (): Promise<void> => {
    stopWatch();
    // This signal kills every process in the namespace. If the command left no process running, there is no
    // need to wait until the sandbox's own processes have ended.
    if (isThere()) send(first, 'SIGKILL');
    if (isEnding || ended?.isAlone !== true) await gone;
  };
  const stopWatch = watchLimits(namespace, limits, (which) => {
    over = which;
    isEnding = true;
    void kill();
  });
  const exited = Promise.race([control.ended, gone]).then(async () => {
    ended = await control.ended;
    checkMemory();
    return isEnding ? null : (ended?.exitCode ?? child.exitCode);
  });
  const end = async (): Promise<void> => {
    if (ended === undefined && isThere()) {
      isEnding = true;
      send(-first, 'SIGTERM');
      await withinGrace(exited);
    }
    await kill();
  };
  let ending: Promise<void> | undefined;
  control.go();
  return {
    namespace,
    stdin: streamAt(handles.stdin),
    stdout,
    stderr,
    channel: streamAt(handles.channel),
    exited,
    closed: Promise.all([stdout, stderr].map(waitForEnd)).then(() => undefined),
    over: () => over,
    end: () => (ending ??= end()),
    settle: async () => ({ rejected: await git.settle() }),
    hold: (holds) => holdHost(child, holds),
    release() {
      stdout.destroy();
      stderr.destroy();
    },
  };
}

const setUpMs = 10_000;

/** Waits until the sandbox is ready for the command. Returns the id of its first process. */
async function waitUntilReady(
  { child, streamAt }: Spawned,
  { found }: Control,
  { command: { program }, grant, programs }: SandboxedCommand,
): Promise<number> {
  const complaints = createOutputBuffer(20_000);
  const stream = streamAt(handles.complaints)?.on('data', complaints.add);
  const streamEnd = stream === undefined ? undefined : waitForEnd(stream);
  if (!(await settlesWithin(setUpMs, found))) child.kill('SIGKILL');
  const answer = await found;
  if (answer === 'ready') return firstIn(child.pid ?? 0);
  if (answer === 'missing') {
    const missing = program.includes('/') ? undefined : findMissingProgram(program, grant, programs?.shown);
    throw missing === undefined ? notStarted(program, 'ENOENT', '') : notVisible(missing);
  }
  if (answer === 'unfit') throw notStarted(program, 'EACCES', 'it is not executable.');
  if (streamEnd !== undefined) await withinGrace(streamEnd);
  const reason = crashReason(complaints.text()) || 'bubblewrap exited without an error message.';
  throw new AgentError('sandbox.unavailable', `The sandbox failed to start: ${reason}`, {
    hint: 'Run `skilled doctor` to see which sandbox this machine supports.',
  });
}

/** Finds bubblewrap's only child, which is the namespace's first process. */
function firstIn(bubblewrap: number): number {
  return childrenOf(bubblewrap)[0] ?? Number.NaN;
}

function childrenOf(id: number): readonly number[] {
  return readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/**
 * Moves a namespace's script into a new group with a memory limit, which the command inherits. Must be
 * called while the script waits for `go`. Returns undefined if the machine does not allow such groups.
 */
function joinMemoryGroup(first: number, memoryBytes: number): MemoryGroup | undefined {
  const group = createMemoryGroup(memoryBytes);
  if (group === undefined) return undefined;
  try {
    const [script = Number.NaN] = childrenOf(first);
    group.add(script);
    return group;
  } catch {
    group.remove();
    return undefined;
  }
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // The process has already ended.
  }
}

/** The outcome of a command that ended in its sandbox. */
interface Ended {
  readonly exitCode: number;
  /** Whether no other process is left in the sandbox. */
  readonly isAlone: boolean;
}

/** The connection to the script that runs a command in a sandbox. */
interface Control {
  /**
   * Resolves to the script's first line, which states whether the program exists. Resolves to undefined if
   * the sandbox ends first.
   */
  readonly found: Promise<string | undefined>;
  /**
   * Resolves to the outcome in the script's second line. Resolves to undefined if the sandbox ends before the
   * script reports it.
   */
  readonly ended: Promise<Ended | undefined>;
  /** Tells the script to start the command. */
  go(): void;
}

const maxCharacters = 100; // The maximum total length of both lines. The script sends less.

/**
 * Reads the script's lines from a stream. The command can write to this stream too, so the lines must
 * affect only what is reported about the command.
 */
function listenToControl(stream: Duplex): Control {
  const found = Promise.withResolvers<string | undefined>();
  const ended = Promise.withResolvers<Ended | undefined>();
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    text = (text + piece).slice(0, maxCharacters);
    const [first, second, ...more] = text.split('\n');
    if (second !== undefined) found.resolve(first);
    if (more.length > 0) ended.resolve(endIn(second));
  });
  // Ignore the error, because `close` follows when the sandbox has ended.
  stream.on('error', () => undefined);
  stream.on('close', () => {
    found.resolve(undefined);
    ended.resolve(undefined);
  });
  return { found: found.promise, ended: ended.promise, go: () => void stream.write('go\n') };
}

function endIn(line = ''): Ended | undefined {
  const [, code, left] = /^(\d{1,3}) (nobody|others)$/.exec(line) ?? [];
  return code === undefined ? undefined : { exitCode: Number(code), isAlone: left === 'nobody' };
}
