import { AgentError } from '../../core/error.ts';

/** Ctrl+C while a run goes on. */
export interface Interrupt extends Disposable {
  /** Aborted by the first Ctrl+C; the second ends the process at once. */
  readonly signal: AbortSignal;
}

/** Why an interrupted run ended. */
export const interruptReason = 'The run was interrupted.';

/** Listens for Ctrl+C until it is disposed of. */
export function onInterrupt(): Interrupt {
  const abort = new AbortController();
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(130);
    abort.abort(new AgentError('usage.cancelled', interruptReason));
  };
  process.on('SIGINT', interrupt);
  return {
    signal: abort.signal,
    [Symbol.dispose]: () => void process.off('SIGINT', interrupt),
  };
}
