import { AgentError, type ErrorData } from '../../core/index.ts';

/**
 * Why a process works on a run no longer: it ended, it waits for a person, an answer came meanwhile, whoever answered
 * goes on with it, or it cannot go on.
 */
export type Stop =
  | { readonly why: 'ended' | 'waiting' | 'answered' | 'elsewhere' }
  | { readonly why: 'broken'; readonly error: ErrorData };

/** Whether somebody else took the run over. */
export function isOvertaken(stop: Stop): boolean {
  return stop.why === 'broken' && stop.error.code === 'internal.overtaken';
}

/** The refusal of an agent that was shut down. */
export function shutDown(): AgentError {
  return new AgentError('usage.bad-input', 'The agent was shut down.', { hint: 'Make a new one.' });
}

/** What is said of a run that nobody knows. */
export function noSuchRun(runId: string): AgentError {
  return new AgentError('usage.not-found', `There is no run ${runId}.`, {
    hint: 'List the runs that there are.',
  });
}
