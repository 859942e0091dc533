import type { PermissionSubject } from '../core/policy.ts';

/** Whether a bundle comes from somebody else than whoever runs it: from a project, a package or a server. */
export function isForeign({ source, made }: Pick<PermissionSubject, 'source' | 'made'>): boolean {
  return !made && (source === 'project' || source === 'plugin' || source === 'mcp');
}

/** Whether the files of a skill, as they are now, are trusted: by where they come from, or by somebody who said so. */
export function trustedBy(
  book: { isTrusted(digest: string): boolean },
  subject: Pick<PermissionSubject, 'source' | 'made' | 'digest'>,
): boolean {
  if (!isForeign(subject)) return true;
  const digest = subject.digest();
  return digest !== undefined && book.isTrusted(digest);
}

/** What a person allows who trusts the files of a skill. */
export function trustRule(skill: string, digest: string): string {
  return `Trust(${skill}@${digest.replace('sha256:', '').slice(0, 12)})`;
}
