import { AgentError, isAgentError, isJsonObject, reasonOf, type ErrorData } from '../../core/index.ts';

/**
 * The reason why a process stopped working on a run: the run ended, waits for the user, received an answer
 * while it was being suspended, was continued by another process, or cannot continue.
 */
export type Stop =
  | { readonly why: 'ended' | 'waiting' | 'answered' | 'elsewhere' }
  | { readonly why: 'broken'; readonly error: ErrorData };

/** Whether another process took over the run. */
export function isClaimLost(stop: Stop): boolean {
  return stop.why === 'broken' && stop.error.code === 'internal.claim-lost';
}

/**
 * Whether an error means that the store failed and may work again later. This is true for the code
 * `sandbox.store` and for every error that is not an `AgentError`, because custom stores may throw any error.
 */
export function isStoreFailure(thrown: unknown): boolean {
  return !isAgentError(thrown) || thrown.code === 'sandbox.store';
}

/** Converts a store failure to the error of the interrupted run. Returns other errors unchanged. */
export function interruptedBy(runId: string, thrown: unknown): AgentError {
  if (isAgentError(thrown) && (!isStoreFailure(thrown) || isInterruption(thrown, runId))) return thrown;
  const hint = isAgentError(thrown) && !isInterruption(thrown) ? thrown.hint : undefined;
  return new AgentError('sandbox.store', reasonOf(thrown), {
    hint: `${hint === undefined ? '' : `${hint} `}When the store works again, resume the run: \`skilled resume ${runId}\``,
    details: { interrupted: runId },
    cause: thrown,
  });
}

/**
 * Whether an error means that a store failure interrupted a run: the one with this id or, without an id, any
 * run.
 */
export function isInterruption({ code, details }: ErrorData | AgentError, runId?: string): boolean {
  if (code !== 'sandbox.store' || !isJsonObject(details)) return false;
  return runId === undefined ? 'interrupted' in details : details['interrupted'] === runId;
}

/** Returns the error for an agent that was shut down. */
export function shutDown(): AgentError {
  return new AgentError('usage.bad-input', 'The agent was shut down.', { hint: 'Create a new one.' });
}

/** Returns the error for an unknown run. */
export function noSuchRun(runId: string): AgentError {
  return new AgentError('usage.not-found', `Run ${runId} does not exist.`, {
    hint: 'List the runs with `skilled runs`.',
  });
}
