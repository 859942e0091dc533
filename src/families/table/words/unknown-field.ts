import { didYouMean, type AgentError } from '../../../core/index.ts';
import { quote } from '../values/quote.ts';
import type { Cursor } from './cursor.ts';
import { faultAt } from './stop.ts';

/** Returns the error for an unknown field name. Without a hint, suggests similar names. */
export function unknownField(cursor: Cursor, words: string, at: number, hint?: string): AgentError {
  return faultAt(at, `${quote(words)} is not a field of this table.`, hint ?? hintOf(cursor, words));
}

/**
 * Returns a hint with the names most similar to a word or, if none is similar, with some of the existing
 * fields.
 */
export function hintOf({ names }: Cursor, word: string): string {
  const some = names.fields.slice(0, 8).map(({ name }) => name);
  return (
    nearTo({ names }, word) ??
    `The fields are ${some.join(', ')}${names.fields.length > some.length ? ', …' : ''}.`
  );
}

/** Returns the names most similar to a word, or undefined if none is similar. */
export function nearTo({ names }: Pick<Cursor, 'names'>, word: string): string | undefined {
  const known = names.fields.flatMap(({ name, label, shortLabel, aliases = [] }) =>
    [name, label, shortLabel, ...aliases].filter((one) => one !== undefined),
  );
  return didYouMean(word, known);
}
