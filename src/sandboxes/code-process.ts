import type { CodePlace } from '../core/code.ts';
import { crashReason } from '../core/crash-reason.ts';
import { AgentError } from '../core/error.ts';
import type { CommandResult, SandboxProvider } from '../core/sandbox.ts';
import { attendCode, type CodeProcess } from './code-channel.ts';
import { codeCommand } from './code-command.ts';
import { outOfMemory } from './code-fault.ts';
import { createKeptTail } from './kept-tail.ts';

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
  const timer = setTimeout(resolve, startMs, { reason: 'it did not start in time.', hint: tryAgain });
  const onAbort = (): void => resolve({ reason: 'it is not needed any more.', hint: tryAgain });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
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
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
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
