import { isForeign } from '../core/skill.ts';
import type { PermissionSubject } from '../core/policy.ts';

/** Whether the files of a skill, as they are now, are trusted: by where they come from, or by somebody who said so. */
export function trustedBy(
  book: { isTrusted(digest: string): boolean },
  subject: Pick<PermissionSubject, 'source' | 'digest'>,
): boolean {
  if (!isForeign(subject)) return true;
  const digest = subject.digest();
  return digest !== undefined && book.isTrusted(digest);
}

/** What a person allows who trusts the files of a skill. */
export function trustRule(skill: string, digest: string): string {
  return `Trust(${skill}@${digest.replace('sha256:', '').slice(0, 12)})`;
}
