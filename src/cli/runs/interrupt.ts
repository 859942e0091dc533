import { AgentError } from '../../core/index.ts';

/** A handler of Ctrl+C during a run. */
export interface Interrupt extends Disposable {
  /** Aborted by the first Ctrl+C. The second Ctrl+C ends the process immediately. */
  readonly signal: AbortSignal;
  /** Aborts the signal, as the first Ctrl+C does. */
  stop(): void;
  /** Called before a signal other than Ctrl+C ends the process. */
  beforeExit?: () => void;
}

/** The reason recorded for an interrupted run. */
export const interruptReason = 'The run was interrupted.';

/**
 * Listens for Ctrl+C until the returned object is disposed. Other signals end the process and its commands;
 * the run can be resumed later.
 */
export function onInterrupt(): Interrupt {
  const abort = new AbortController();
  const stop = (): void => abort.abort(new AgentError('usage.cancelled', interruptReason));
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(130);
    stop();
  };
  const end = (exitCode: number): void => {
    listening.beforeExit?.();
    process.exit(exitCode);
  };
  const listeners = [
    ['SIGINT', interrupt],
    ['SIGTERM', () => end(143)],
    ['SIGHUP', () => end(129)],
  ] as const;
  for (const [name, listener] of listeners) process.on(name, listener);
  const listening: Interrupt = {
    signal: abort.signal,
    stop,
    [Symbol.dispose]: () => {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
  return listening;
}
