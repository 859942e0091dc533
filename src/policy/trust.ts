import {
  isForeign,
  isFromServer,
  reasonOf,
  visible,
  type Decision,
  type PermissionRequest,
  type Pin,
  type TrustSubject,
} from '../core/index.ts';
import type { TrustBook } from './trust-book.ts';

/**
 * Allows a pinned call without asking. The first use records the definition. Asks the user if the definition
 * has changed or cannot be recorded.
 */
export async function allowKnown(
  book: Pick<TrustBook, 'pinOf' | 'pinFirst'>,
  pin: Pin,
  ask: (reason: string) => Decision,
): Promise<Decision> {
  try {
    const known = book.pinOf(pin.key) ?? (await book.pinFirst(pin));
    return isChanged(pin, known) ? ask(changeOf(pin)) : { decision: 'allow' };
  } catch (thrown) {
    return ask(`Its current definition cannot be saved: ${reasonOf(thrown)}`);
  }
}

/** Whether the hash of a definition differs from the recorded hash. Returns false if none is recorded. */
export function isChanged({ hash }: Pin, known: string | undefined): boolean {
  return known !== undefined && known !== hash;
}

/** Returns the reason for asking the user about a changed definition. */
export function changeOf({ name }: Pin): string {
  return `The description or schemas of "${visible(name)}" have changed since it was allowed.`;
}

/** Whether the current files of a skill are trusted, because of their source or by the user's decision. */
export function trustedBy(book: TrustedFiles, subject: TrustSubject): boolean {
  if (!isForeign(subject) || book.trustsSkill?.(subject) === true) return true;
  const digest = subject.digest();
  if (digest === undefined) return false;
  return (
    book.isTrusted(digest) ||
    (!isFromServer({ ...subject, isDefinedInCode: false }) && book.covers?.(subject.dir ?? '') === true)
  );
}

/** The reasons for which files can be trusted: their digest, the folder that contains them, or the program. */
interface TrustedFiles {
  isTrusted(digest: string): boolean;
  covers?(dir: string): boolean;
  trustsSkill?(skill: TrustSubject): boolean;
}

/** Returns the rule under which a skill's files are trusted. */
export function trustRule(skill: string, digest: string): string {
  return `Trust(${skill}@${digest.replace('sha256:', '').slice(0, 12)})`;
}

/**
 * Whether the user must trust a skill before its first use. This applies to skills from a server and to
 * foreign skills that can run code. Pure.
 */
export function needsTrust(
  request: Pick<PermissionRequest, 'source' | 'runsCode' | 'isDefinedInCode' | 'isInstalled'>,
): boolean {
  return isFromServer(request) || (request.runsCode && isForeign(request));
}
