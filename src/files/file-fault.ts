import { reasonOf } from '../core/crash-reason.ts';
import { AgentError, isAgentError, type ErrorCode } from '../core/error.ts';

interface Wording {
  readonly code: ErrorCode;
  readonly says: string;
  readonly hint: string;
}

const denied: Wording = {
  code: 'skill.failed',
  says: 'cannot be accessed by this user',
  hint: 'Change the file permissions, or use another file.',
};
const full: Wording = {
  code: 'skill.failed',
  says: 'does not fit on the disk',
  hint: 'Free some disk space, then try again.',
};

const wordings: Readonly<Record<string, Wording>> = {
  ENOENT: { code: 'usage.not-found', says: 'does not exist', hint: 'Use glob to find the correct path.' },
  ENOTDIR: {
    code: 'usage.bad-input',
    says: 'uses a file as if it were a folder',
    hint: 'Check each part of the path.',
  },
  EISDIR: { code: 'usage.bad-input', says: 'is a folder', hint: 'Name a file in it; glob lists them.' },
  ELOOP: {
    code: 'usage.bad-input',
    says: 'is a broken link',
    hint: 'Use the path of the file itself.',
  },
  ENAMETOOLONG: { code: 'usage.bad-input', says: 'is too long', hint: 'Use a shorter name.' },
  ENXIO: { code: 'usage.bad-input', says: 'is not a regular file', hint: 'Use a regular file.' },
  EACCES: denied,
  EPERM: denied,
  EROFS: { code: 'skill.failed', says: 'is on a read-only disk', hint: 'Use another path.' },
  ENOSPC: full,
  EDQUOT: full,
};

/** Converts a file system error to an `AgentError` that names the file. Returns an `AgentError` unchanged. */
export function fileFault(thrown: unknown, shown: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  const system = systemCode(thrown);
  const { code, says, hint } = wordings[system ?? ''] ?? {
    code: 'skill.failed' as const,
    says: `cannot be used: ${system ?? reasonOf(thrown)}`,
    hint: 'Try again, or use another file.',
  };
  return new AgentError(code, `"${shown}" ${says}.`, { hint, cause: thrown });
}

/** Returns a system error's code, such as `ENOENT`, or undefined for any other error. */
export function systemCode(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
