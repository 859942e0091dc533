import { AgentError, isAgentError, reasonOf, type ErrorCode } from '../core/error.ts';

interface Wording {
  readonly code: ErrorCode;
  readonly says: string;
  readonly hint: string;
}

const denied: Wording = {
  code: 'skill.failed',
  says: 'is not open to this user',
  hint: 'Change its permissions, or use another file.',
};
const full: Wording = {
  code: 'skill.failed',
  says: 'does not fit on the disk',
  hint: 'Make room, then try again.',
};

const wordings: Readonly<Record<string, Wording>> = {
  ENOENT: { code: 'usage.not-found', says: 'does not exist', hint: 'Look for it with glob.' },
  ENOTDIR: {
    code: 'usage.bad-input',
    says: 'leads through a file as if it were a folder',
    hint: 'Check each part of the path.',
  },
  EISDIR: { code: 'usage.bad-input', says: 'is a folder', hint: 'Name a file in it; glob lists them.' },
  ELOOP: {
    code: 'usage.bad-input',
    says: 'is a link that leads nowhere',
    hint: 'Use the path of the file itself.',
  },
  ENAMETOOLONG: { code: 'usage.bad-input', says: 'is too long for a path', hint: 'Use a shorter name.' },
  ENXIO: { code: 'usage.bad-input', says: 'is no regular file', hint: 'Use a regular file.' },
  EACCES: denied,
  EPERM: denied,
  EROFS: { code: 'skill.failed', says: 'lies on a disk that is read-only', hint: 'Use another place.' },
  ENOSPC: full,
  EDQUOT: full,
};

/** What the file system threw as a failure that names the file; ours is given back as it is. */
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

/** The short name of a failure of the system, such as `ENOENT`; undefined for any other. */
export function systemCode(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
