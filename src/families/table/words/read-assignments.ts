import type { JsonObject } from '../../../core/index.ts';
import type { TableClock, Table } from '../table.ts';
import { readFieldValues } from './read-field-values.ts';
import { afterArticles } from './conditions/condition-start.ts';
import { createCursor, fieldAt, isAtEnd } from './cursor.ts';
import { longestWords } from './longest-words.ts';
import { acceptPhrase, buildPhrases } from './phrases.ts';
import { verdictOf } from './stop.ts';

/**
 * Reads assignments such as `<field> "a b", <field> 3`. Returns undefined if the text does not begin with a
 * field and a value.
 */
export function readAssignments(
  table: Table,
  words: string,
  clock: TableClock,
): { readonly set: JsonObject } | { readonly fault: string; readonly at: number } | undefined {
  if (words.length > longestWords) return undefined;
  try {
    const cursor = createCursor(table, words, clock);
    acceptPhrase(cursor, leads);
    const start = afterArticles(cursor, cursor.index);
    const field = fieldAt(cursor, start);
    if (field === undefined || start + field.length >= cursor.tokens.length) return undefined;
    const set = readFieldValues(cursor, { isNew: true, isEnd: () => false });
    return isAtEnd(cursor) ? { set } : undefined;
  } catch (thrown) {
    const verdict = verdictOf(thrown);
    if (verdict.kind === 'unknown') return undefined;
    return { fault: verdict.kind === 'fault' ? verdict.message : verdict.text, at: verdict.at };
  }
}

const leads = buildPhrases<true>([true, 'set|change|make|with|please|please set|please change|update']);
