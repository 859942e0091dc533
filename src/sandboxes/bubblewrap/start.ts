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
import { handles, limitsOf } from './command-line.ts';
import { watchLimits, type Namespace, type Over } from './limits.ts';
import { spawnSandboxed, type SandboxedCommand, type Spawned } from './spawn.ts';

/** A sandboxed command and every process it starts, even those that leave its process group. */
interface SandboxedProcess extends ProcessGroup {
  readonly namespace: Namespace;
}

/** Starts a command in a sandbox; throws `sandbox.unavailable` with the reason if that fails. */
export async function startSandboxed(options: SandboxedCommand): Promise<SandboxedProcess> {
  const spawned = await spawnSandboxed(options);
  const { child, streamAt, memoryFolders, git } = spawned;
  const [stdout, stderr, control] = [handles.stdout, handles.stderr, handles.control].map(streamAt);
  if (stdout == null || stderr == null || control == null) throw new Error('a process without pipes');
  const attended = listenToControl(control);
  const first = await waitUntilReady(spawned, attended, options.command.program).catch((thrown: unknown) => {
    child.kill('SIGKILL');
    control.destroy(); // Ends the script if it is still waiting for `go`.
    git.discard();
    throw thrown;
  });
  const namespace = { first, memoryFolders };

  let over: Over | undefined;
  let isEnding = false;
  let ended: Ended | undefined;
  const isThere = (): boolean => child.exitCode === null && child.signalCode === null;
  const gone = isThere() ? once(child, 'exit') : Promise.resolve();
  const kill = async (): Promise<void> => {
    stopWatch();
    // Kills every process in the namespace. If the command left no other processes, only the sandbox's own
    // processes remain.
    if (isThere()) send(first, 'SIGKILL');
    if (isEnding || ended?.isAlone !== true) await gone;
  };
  const stopWatch = watchLimits(namespace, limitsOf(options.grant), (which) => {
    over = which;
    isEnding = true;
    void kill();
  });
  const exited = Promise.race([attended.ended, gone]).then(async () => {
    ended = await attended.ended;
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
  attended.go();
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
  program: string,
): Promise<number> {
  const complaints = createOutputBuffer(20_000);
  const stream = streamAt(handles.complaints)?.on('data', complaints.add);
  const streamEnd = stream === undefined ? undefined : waitForEnd(stream);
  if (!(await settlesWithin(setUpMs, found))) child.kill('SIGKILL');
  const answer = await found;
  if (answer === 'ready') return firstIn(child.pid ?? 0);
  if (answer === 'missing') throw notStarted(program, 'ENOENT', '');
  if (answer === 'unfit') throw notStarted(program, 'EACCES', 'it is not executable.');
  if (streamEnd !== undefined) await withinGrace(streamEnd);
  const reason = crashReason(complaints.text()) || 'bubblewrap exited without an error message.';
  throw new AgentError('sandbox.unavailable', `The sandbox failed to start: ${reason}`, {
    hint: 'Run `skilled doctor` to see which sandbox this machine supports.',
  });
}

/** Finds bubblewrap's only child, which is the namespace's first process. */
function firstIn(bubblewrap: number): number {
  const children = readFileSync(`/proc/${bubblewrap}/task/${bubblewrap}/children`, 'utf8');
  return Number.parseInt(children, 10);
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // no process is left
  }
}

/** The outcome of a command that ended in its sandbox. */
interface Ended {
  readonly exitCode: number;
  /** Whether no other process is left in the sandbox. */
  readonly isAlone: boolean;
}

/** The exchange between this process and the script that runs a command in a sandbox. */
interface Control {
  /**
   * Resolves to the script's first line, which says whether it found the program, or to undefined if the
   * sandbox ended first.
   */
  readonly found: Promise<string | undefined>;
  /**
   * Resolves to the script's second line, which says how the command ended, or to undefined if the sandbox
   * ended first.
   */
  readonly ended: Promise<Ended | undefined>;
  /** Tells the script to start the command. */
  go(): void;
}

const maxCharacters = 100; // The maximum length of a line. An unmodified script sends less.

/**
 * Reads the script's lines from a stream. A command can impersonate the script, so the lines are trusted only
 * for information about the command itself.
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
  // Ignores the error, because `close` follows when the sandbox has ended.
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
