import type { Condition } from '../request/request.ts';
import type { TableClock, Table } from '../table.ts';
import { quote } from '../values/quote.ts';
import { createCursor, isAtEnd, peek, placeOf } from './cursor.ts';
import { longestWords } from './longest-words.ts';
import { parseCondition } from './parse-condition.ts';
import { verdictOf } from './stop.ts';

/** The condition that a whole text is, or the first thing in it that is none. */
export function readCondition(
  table: Pick<Table, 'fields'>,
  words: string,
  clock: TableClock,
): { readonly condition: Condition } | { readonly fault: string; readonly at: number } {
  if (words.length > longestWords) return { fault: 'It is too long to be a condition.', at: longestWords };
  let at = 0;
  try {
    const cursor = createCursor(table, words, clock);
    try {
      const condition = parseCondition(cursor);
      if (isAtEnd(cursor)) return { condition };
      return {
        fault: `${quote(peek(cursor)?.text ?? '')} does not belong to the condition.`,
        at: placeOf(cursor, cursor.index),
      };
    } catch (thrown) {
      at = placeOf(cursor, cursor.index);
      throw thrown;
    }
  } catch (thrown) {
    const verdict = verdictOf(thrown);
    if (verdict.kind === 'fault') return { fault: verdict.message, at: verdict.at };
    if (verdict.kind === 'question')
      return { fault: `${verdict.text} It can be ${verdict.options.join(' or ')}.`, at: verdict.at };
    return { fault: verdict.why, at };
  }
}
