import { AgentError } from '../core/error.ts';

/** The refusal of an agent that was shut down. */
export function shutDown(): AgentError {
  return new AgentError('usage.bad-input', 'The agent was shut down.', { hint: 'Make a new one.' });
}
