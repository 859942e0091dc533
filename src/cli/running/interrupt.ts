import { AgentError } from '../../core/error.ts';

/** Ctrl+C while a run goes on. */
export interface Interrupt extends Disposable {
  /** Aborted by the first Ctrl+C; the second ends the process at once. */
  readonly signal: AbortSignal;
}

/** Why an interrupted run ended. */
export const interruptReason = 'The run was interrupted.';

/** Listens for Ctrl+C until it is disposed of. Whoever else ends the process leaves the run to be resumed, but none of its commands behind. */
export function onInterrupt(): Interrupt {
  const abort = new AbortController();
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(130);
    abort.abort(new AgentError('usage.cancelled', interruptReason));
  };
  const listeners = [
    ['SIGINT', interrupt],
    ['SIGTERM', () => process.exit(143)],
    ['SIGHUP', () => process.exit(129)],
  ] as const;
  for (const [name, listener] of listeners) process.on(name, listener);
  return {
    signal: abort.signal,
    [Symbol.dispose]: () => {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
