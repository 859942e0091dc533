import { AgentError } from '../core/error.ts';
import type { CodePlace } from '../core/code.ts';
import type { CommandResult, SandboxProvider } from '../core/sandbox.ts';
import { attendCode, type CodeProcess } from './code-channel.ts';
import { codeCommand } from './code-command.ts';
import { createKeptTail } from './kept-tail.ts';

const startMs = 30_000;

/** Starts a process that calls functions of skills; throws `sandbox.unavailable` when it does not come to be. */
export async function startCodeProcess(
  sandboxes: SandboxProvider,
  place: CodePlace,
  memoryBytes: number,
  signal: AbortSignal,
): Promise<CodeProcess> {
  const { command, grant } = codeCommand(place, memoryBytes);
  const code = await attendCode(await sandboxes.open(grant), command);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(resolve, startMs, 'it did not start in time.');
  const onAbort = (): void => resolve('it is not needed any more.');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const complaints = createKeptTail(2000);
  const release = code.attend({
    onMessage: ([kind]) => resolve(kind === 'ready' ? undefined : 'it does not say that it is ready.'),
    onStdout: () => undefined,
    onStderr: complaints.add,
    onLost: (_, result) => resolve(reasonIn(result, complaints.text())),
  });
  const reason = await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  release();
  if (reason === undefined) return code;
  await code.end();
  throw new AgentError('sandbox.unavailable', `The process for code did not come to be: ${reason}`, {
    hint: 'Allow it more memory, or run "skilled doctor" to see what this machine can do.',
  });
}

function reasonIn({ over, exitCode }: CommandResult, complaints: string): string {
  if (over !== undefined) return `it may not use that much ${over}.`;
  const said = complaints.trim().split('\n').at(-1) ?? '';
  return said === '' ? `it ended with ${exitCode ?? 'a signal'}.` : said;
}
