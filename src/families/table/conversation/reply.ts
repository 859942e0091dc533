import type { JsonObject } from '../../../core/index.ts';
import type { Condition } from '../request/request.ts';

type PlainReply = 'yes' | 'no' | 'next' | 'previous' | 'all';

/** What a person answered. */
export type PersonReply =
  | { readonly reply: PlainReply }
  /** The record that was chosen. */
  | { readonly reply: 'record'; readonly where: Condition }
  /** Other or further values, by the declared names of the fields. */
  | { readonly reply: 'values'; readonly set: JsonObject }
  /** It is no answer, or one with something wrong in it; the message is a sentence, or empty. */
  | { readonly reply: 'unclear'; readonly message: string };

/** The plain answers that words may be, whatever the question is. */
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

/** Words in front of a correction, as in `no, name "Y"`. */
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
