import type { Message } from '../core/model.ts';

const charactersOfToken = 4;

/** The end of a conversation within about so many tokens; no result stands in it without its call. */
export function lastTurns(messages: readonly Message[], tokens: number): readonly Message[] {
  let left = tokens * charactersOfToken;
  let from = messages.length;
  while (from > 0 && (left -= JSON.stringify(messages[from - 1]).length) >= 0) from -= 1;
  while (messages[from]?.role === 'tool') from += 1;
  return messages.slice(from);
}
