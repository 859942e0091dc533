import { reasonOf } from '../core/error.ts';
import type { Decision, Pin } from '../core/policy.ts';
import { visible } from '../core/text.ts';
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
