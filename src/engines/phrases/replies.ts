/** A reply that has the same meaning for every question. */
export type PlainReply = 'yes' | 'no' | 'next' | 'previous' | 'all';

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
