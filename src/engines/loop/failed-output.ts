import { AgentError, isAgentError, reasonOf, toErrorData } from '../../core/error.ts';
import type { Output } from '../../core/run.ts';

/** What a tool throws as data: its own failure, not a defect of this package. */
export function failedOutput(thrown: unknown): Output {
  const error = toErrorData(isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown)));
  return { status: 'failed', text: error.message, error };
}
