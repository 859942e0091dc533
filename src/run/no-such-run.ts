import { AgentError } from '../core/error.ts';

/** What is said of a run that nobody knows. */
export function noSuchRun(runId: string): AgentError {
  return new AgentError('usage.not-found', `There is no run ${runId}.`, {
    hint: 'List the runs that there are.',
  });
}
