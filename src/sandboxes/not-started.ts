import { AgentError } from '../core/error.ts';

/** Why a program was not started, from the short name that the system has for the reason. */
export function notStarted(program: string, code: string | undefined, reason: string): AgentError {
  if (code === 'ENOENT') {
    return new AgentError('usage.not-found', `There is no program "${program}".`, {
      hint: 'Install it, or give the path of another one.',
    });
  }
  if (code === 'E2BIG') {
    return new AgentError('limit.too-large', `The words for "${program}" are too long for this machine.`, {
      hint: 'Write them to a file, and give the path of that.',
    });
  }
  const isMisuse = code === 'ERR_INVALID_ARG_VALUE' || code === 'EACCES';
  return new AgentError(
    isMisuse ? 'usage.bad-input' : 'skill.failed',
    `"${program}" could not be started: ${reason}`,
  );
}
