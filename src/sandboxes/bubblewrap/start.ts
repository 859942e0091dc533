import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { AgentError, crashReason, settlesWithin } from '../../core/index.ts';
import { createKeptOutput } from '../process/output.ts';
import { holdHost, isHeard, notStarted, withinGrace, type ProcessGroup } from '../process/process-group.ts';
import { handles, limitsOf } from './command-line.ts';
import { watchLimits, type Namespace, type Over } from './limits.ts';
import { spawnContained, type ContainedCommand, type Spawned } from './spawn.ts';

/** A command in a sandbox of its own, with everything that it starts, wherever it sends it. */
interface Contained extends ProcessGroup {
  readonly namespace: Namespace;
}

/** Starts a command in a sandbox; throws `sandbox.unavailable` with the reason when that fails to start. */
export async function startContained(wanted: ContainedCommand): Promise<Contained> {
  const spawned = await spawnContained(wanted);
  const { child, streamAt, memoryFolders, git } = spawned;
  const [stdout, stderr, control] = [handles.stdout, handles.stderr, handles.control].map(streamAt);
  if (stdout == null || stderr == null || control == null) throw new Error('a process without pipes');
  const attended = attendControl(control);
  const first = await standUp(spawned, attended, wanted.command.program).catch((thrown: unknown) => {
    child.kill('SIGKILL');
    control.destroy(); // what waits for a word from here ends too
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
    if (isThere()) send(first, 'SIGKILL'); // and so all of them
    if (isEnding || ended?.isAlone !== true) await gone; // else only what is ours is left of it
  };
  const stopWatch = watchLimits(namespace, limitsOf(wanted.grant), (which) => {
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
    closed: Promise.all([stdout, stderr].map(isHeard)).then(() => undefined),
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

/** Waits until everything is ready for the command; gives the id of the first process in the sandbox. */
async function standUp({ child, streamAt }: Spawned, { found }: Control, program: string): Promise<number> {
  const complaints = createKeptOutput(20_000);
  const stream = streamAt(handles.complaints)?.on('data', complaints.add);
  const heard = stream === undefined ? undefined : isHeard(stream);
  if (!(await settlesWithin(setUpMs, found))) child.kill('SIGKILL');
  const answer = await found;
  if (answer === 'ready') return firstIn(child.pid ?? 0);
  if (answer === 'missing') throw notStarted(program, 'ENOENT', '');
  if (answer === 'unfit') throw notStarted(program, 'EACCES', 'it cannot be executed.');
  if (heard !== undefined) await withinGrace(heard);
  const reason = crashReason(complaints.text()) || 'bubblewrap ended without a word.';
  throw new AgentError('sandbox.unavailable', `The sandbox failed to start: ${reason}`, {
    hint: 'Run `skilled doctor` to see what this machine can do.',
  });
}

/** The only child of bubblewrap, which is the first process of the namespace. */
function firstIn(bubblewrap: number): number {
  const children = readFileSync(`/proc/${bubblewrap}/task/${bubblewrap}/children`, 'utf8');
  return Number.parseInt(children, 10);
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // nobody is left
  }
}

/** How a command ended in its sandbox. */
interface Ended {
  readonly exitCode: number;
  /** Whether no other process is left there. */
  readonly isAlone: boolean;
}

/** What is said between us and the script that runs a command in a sandbox. */
interface Control {
  /** The first line: what the script found. Undefined when the sandbox ended before. */
  readonly found: Promise<string | undefined>;
  /** The second line: how the command ended. Undefined when the sandbox ended before. */
  readonly ended: Promise<Ended | undefined>;
  /** Lets the command begin. */
  go(): void;
}

const mostCharacters = 100; // nothing long is ever said, by somebody honest

/** Listens to the script behind a stream. A command may take its place, so that what it says is believed of the command only. */
function attendControl(stream: Duplex): Control {
  const found = Promise.withResolvers<string | undefined>();
  const ended = Promise.withResolvers<Ended | undefined>();
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    text = (text + piece).slice(0, mostCharacters);
    const [first, second, ...more] = text.split('\n');
    if (second !== undefined) found.resolve(first);
    if (more.length > 0) ended.resolve(endIn(second));
  });
  stream.on('error', () => undefined); // the other end is gone; `close` follows
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
