import { AgentError } from './error.ts';

/** The error for somebody who calls a skill that is not meant to be called by people; the hint says what to do instead. */
export function notForPeople(name: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `"${name}" says of itself that people do not call it.`, { hint });
}
