import type { JsonObject } from '../../../core/index.ts';
import type { Condition } from '../request/request.ts';

type PlainReply = 'yes' | 'no' | 'next' | 'previous' | 'all';

/** The user's reply. */
export type PersonReply =
  | { readonly reply: PlainReply }
  /** The chosen record. */
  | { readonly reply: 'record'; readonly where: Condition }
  /** Corrected or additional values, by declared field name. */
  | { readonly reply: 'values'; readonly set: JsonObject }
  /** An unclear answer. The message is a sentence, or empty. */
  | { readonly reply: 'unclear'; readonly message: string };

/** Parses a reply that has the same meaning for every question, such as yes or no. */
export function plainReply(words: string): PlainReply | undefined {
  const plain = words
    .trim()
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[\s,]+/g, ' ')
    .replace(/[.!]+$/, '')
    .replace(/ (?:please|thanks|thank you)$/, '');
  return plainReplies.get(plain);
}

/** Removes introductory words from a correction. For example, `no, name "Y"` becomes `name "Y"`. */
export function withoutLead(words: string): string {
  return words
    .replace(/^\s*(?:no|nope|yes|ok|okay|sorry|actually|wait|but)\b[\s,.:;-]*/i, '')
    .replace(/^but\s+/i, '');
}

const spoken: Readonly<Record<PlainReply, string>> = {
  yes: "yes|y|yep|yeah|ok|okay|sure|confirm|confirmed|apply|proceed|correct|do it|go ahead|yes do it|yes go ahead|looks good|that's right|apply it|save it|go on",
  no: "no|n|nope|cancel|stop|abort|quit|exit|never mind|nevermind|forget it|don't|do not|don't do it|cancel it|cancel that|leave it|no cancel|no stop",
  next: 'next|more|next page|show more|further',
  previous: 'previous|back|previous page|prev',
  all: 'all|all of them|every one|everything|both',
};

const plainReplies: ReadonlyMap<string, PlainReply> = new Map(
  (Object.keys(spoken) as PlainReply[]).flatMap((reply) =>
    spoken[reply].split('|').map((words) => [words, reply] as const),
  ),
);
