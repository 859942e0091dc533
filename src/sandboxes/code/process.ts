import {
  AgentError,
  crashReason,
  entryFiles,
  onAbort,
  timer,
  type CodePlace,
  type Command,
  type CommandResult,
  type Grant,
  type SandboxProvider,
} from '../../core/index.ts';
import { createKeptTail } from '../process/output.ts';
import { attendCode, type CodeProcess } from './channel.ts';
import { outOfMemory } from './errors.ts';

const startMs = 30_000;

/** Starts a process that calls functions of skills; throws `sandbox.unavailable` with the reason when it fails to start. */
export async function startCodeProcess(
  sandboxes: SandboxProvider,
  place: CodePlace,
  memoryBytes: number,
  signal: AbortSignal,
): Promise<CodeProcess> {
  const { command, grant } = codeCommand(place, memoryBytes);
  const code = await attendCode(await sandboxes.open(grant), command);
  const { promise, resolve } = Promise.withResolvers<Obstacle | undefined>();
  const giveUp = (reason: string): void => resolve({ reason, hint: tryAgain });
  const stop = (): void => giveUp('it is not needed any more.');
  using _clock = timer(startMs, () => giveUp('it did not start in time.'));
  using _listener = onAbort(signal, stop);
  if (signal.aborted) stop();
  const complaints = createKeptTail(20_000);
  const release = code.attend({
    onMessage: ([kind]) =>
      resolve(
        kind === 'ready' ? undefined : { reason: 'it does not say that it is ready.', hint: reinstall },
      ),
    onStdout: () => undefined,
    onStderr: complaints.add,
    onLost: (_, result) => resolve(obstacleIn(result, complaints.text())),
  });
  const obstacle = await promise;
  release();
  if (obstacle === undefined) return code;
  await code.end();
  const { reason, hint } = obstacle;
  throw new AgentError('sandbox.unavailable', `The code worker failed to start: ${reason}`, { hint });
}

/** What kept a process from starting, and what to do about it. */
interface Obstacle {
  readonly reason: string;
  readonly hint: string;
}

const tryAgain = 'Try again.';
const reinstall = 'Install skilled again. If that does not help, please report it with this message.';

function obstacleIn({ over, exitCode }: CommandResult, complaints: string): Obstacle {
  if (over !== undefined)
    return { reason: `it may not use that much ${over}.`, hint: `Allow it more ${over}.` };
  const hint = outOfMemory.test(complaints) ? 'Allow it more memory.' : reinstall;
  const end = exitCode === null ? 'a signal' : `exit code ${exitCode}`;
  return { reason: crashReason(complaints) || `it ended with ${end}.`, hint };
}

const mebibyte = 2 ** 20;
const leastHeap = 32;

/** What starts a process that calls functions of skills, and what it may touch: as much as they, and its own program. */
export function codeCommand(
  { grant, startsProcesses }: CodePlace,
  memoryBytes: number,
): { readonly command: Command; readonly grant: Grant } {
  const { entry, read } = entryFiles('sandboxes/code-worker/worker', ['sandboxes/code-worker']);
  // The sandbox says which files; Node itself says that nothing is started, and no thread and no machine code.
  const alone = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*'];
  const words = [
    ...(startsProcesses ? [] : alone),
    ...[`--max-old-space-size=${heapWithin(memoryBytes)}`, '--disable-sigusr1'],
    ...['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'].map((kind) => `--disable-warning=${kind}`),
  ];
  return {
    command: { program: process.execPath, arguments: [...words, entry] },
    grant: { ...grant, read: [...grant.read, ...read] },
  };
}

/** Mebibytes for objects, so that the engine tidies up before the whole process is over its limit. */
function heapWithin(memoryBytes: number): number {
  return Math.max(leastHeap, Math.floor((0.75 * memoryBytes) / mebibyte));
}
