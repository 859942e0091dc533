import {
  AgentError,
  crashReason,
  entryFiles,
  onAbort,
  timer,
  type CodeContext,
  type ProcessCommand,
  type ProcessResult,
  type Grant,
  type SandboxProvider,
} from '../../core/index.ts';
import { createTailBuffer } from '../process/output.ts';
import { openCodeChannel, type CodeProcess } from './channel.ts';
import { outOfMemory } from './errors.ts';

const startMs = 30_000;

/** Starts a code worker. Throws `sandbox.unavailable` with the reason if it does not start. */
export async function startCodeProcess(
  sandboxes: SandboxProvider,
  context: CodeContext,
  memoryBytes: number,
  signal: AbortSignal,
): Promise<CodeProcess> {
  const { command, grant } = codeCommand(context, memoryBytes);
  const code = await openCodeChannel(await sandboxes.open(grant), command);
  const { promise, resolve } = Promise.withResolvers<Obstacle | undefined>();
  const giveUp = (reason: string): void => resolve({ reason, hint: tryAgain });
  const stop = (): void => giveUp('it is no longer needed.');
  using _clock = timer(startMs, () => giveUp('it did not start in time.'));
  using _listener = onAbort(signal, stop);
  if (signal.aborted) stop();
  const complaints = createTailBuffer(20_000);
  const release = code.listen({
    onMessage: ([kind]) =>
      resolve(
        kind === 'ready' ? undefined : { reason: 'it sent an unexpected first message.', hint: reinstall },
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

/** The reason why a process failed to start, and a hint for fixing it. */
interface Obstacle {
  readonly reason: string;
  readonly hint: string;
}

const tryAgain = 'Try again.';
const reinstall = 'Reinstall skilled. If that does not help, please report this message.';

function obstacleIn({ over, exitCode }: ProcessResult, complaints: string): Obstacle {
  if (over !== undefined)
    return { reason: `it exceeded its limit for ${over}.`, hint: `Raise the limit for ${over}.` };
  const hint = outOfMemory.test(complaints) ? 'Raise the memory limit.' : reinstall;
  const end = exitCode === null ? 'a signal' : `exit code ${exitCode}`;
  return { reason: crashReason(complaints) || `it exited with ${end}.`, hint };
}

const mebibyte = 2 ** 20;
const leastHeap = 32;

/**
 * Returns the command and the grant of a code worker. The grant adds the worker's own files to the skill's
 * grant.
 */
export function codeCommand(
  { grant, startsProcesses }: CodeContext,
  memoryBytes: number,
): { readonly command: ProcessCommand; readonly grant: Grant } {
  const { entry, read } = entryFiles('sandboxes/code-worker/worker', ['sandboxes/code-worker']);
  // These options make Node block new processes, threads and native code. They allow access to all files,
  // because the sandbox already limits file access.
  const alone = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*'];
  const args = [
    ...(startsProcesses ? [] : alone),
    ...[`--max-old-space-size=${heapWithin(memoryBytes)}`, '--disable-sigusr1'],
    ...['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'].map((kind) => `--disable-warning=${kind}`),
  ];
  return {
    command: { program: process.execPath, arguments: [...args, entry] },
    grant: { ...grant, read: [...grant.read, ...read] },
  };
}

/**
 * Returns Node's heap limit in mebibytes. It is low enough that Node frees memory before the memory limit.
 */
function heapWithin(memoryBytes: number): number {
  return Math.max(leastHeap, Math.floor((0.75 * memoryBytes) / mebibyte));
}
