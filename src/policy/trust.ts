import {
  isForeign,
  isFromServer,
  reasonOf,
  visible,
  type Decision,
  type PermissionRequest,
  type PermissionSubject,
  type Pin,
} from '../core/index.ts';
import type { TrustBook } from './trust-book.ts';

/** Allows what nobody is asked about: from its first use on it is known as what it is now. Where that cannot be kept, a person is asked. */
export async function allowKnown(
  book: Pick<TrustBook, 'pinOf' | 'pinFirst'>,
  pin: Pin,
  ask: (reason: string) => Decision,
): Promise<Decision> {
  try {
    const known = book.pinOf(pin.key) ?? (await book.pinFirst(pin));
    return isChanged(pin, known) ? ask(changeOf(pin)) : { decision: 'allow' };
  } catch (thrown) {
    return ask(`What it is now cannot be kept: ${reasonOf(thrown)}`);
  }
}

/** Whether something is known as something else than it is now; what is new did not change. */
export function isChanged({ hash }: Pin, known: string | undefined): boolean {
  return known !== undefined && known !== hash;
}

/** Why a person is to look at it again. */
export function changeOf({ name }: Pin): string {
  return `Its definition changed since it was allowed: the description or the schemas of "${visible(name)}" are other ones now.`;
}

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

/** Whether a person must trust a skill before it is first used: code comes with it that nobody here chose, or even its text comes from a server. Pure. */
export function needsTrust(request: Pick<PermissionRequest, 'source' | 'runsCode' | 'made'>): boolean {
  return isFromServer(request) || (request.runsCode && isForeign(request));
}
