import { AgentError } from '../../core/index.ts';

/** Ctrl+C while a run goes on. */
interface Interrupt extends Disposable {
  /** Aborted by the first Ctrl+C; the second ends the process at once. */
  readonly signal: AbortSignal;
}

/** Why an interrupted run ended. */
export const interruptReason = 'The run was interrupted.';

/** Listens for Ctrl+C until it is disposed of. Whoever else ends the process leaves the run to be resumed, but none of its commands behind; `leave` is called before. */
export function onInterrupt(leave?: () => void): Interrupt {
  const abort = new AbortController();
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(130);
    abort.abort(new AgentError('usage.cancelled', interruptReason));
  };
  const end = (exitCode: number): void => {
    leave?.();
    process.exit(exitCode);
  };
  const listeners = [
    ['SIGINT', interrupt],
    ['SIGTERM', () => end(143)],
    ['SIGHUP', () => end(129)],
  ] as const;
  for (const [name, listener] of listeners) process.on(name, listener);
  return {
    signal: abort.signal,
    [Symbol.dispose]: () => {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
