import { didYouMean, type AgentError } from '../../../core/index.ts';
import { quote } from '../values/quote.ts';
import type { Cursor } from './cursor.ts';
import { faultAt } from './stop.ts';

/** The fault of words that stand where a field should, with the names that are near to them unless another hint is given. */
export function unknownField(cursor: Cursor, words: string, at: number, hint?: string): AgentError {
  return faultAt(at, `${quote(words)} is not a field of this table.`, hint ?? hintOf(cursor, words));
}

/** The names that are nearest to a word, or some of those that there are. */
export function hintOf({ names }: Cursor, word: string): string {
  const some = names.fields.slice(0, 8).map(({ name }) => name);
  return (
    nearTo({ names }, word) ??
    `There are ${some.join(', ')}${names.fields.length > some.length ? ', …' : ''}.`
  );
}

/** The names that are nearest to a word, if any is near. */
export function nearTo({ names }: Pick<Cursor, 'names'>, word: string): string | undefined {
  const known = names.fields.flatMap(({ name, label, shortLabel, aliases = [] }) =>
    [name, label, shortLabel, ...aliases].filter((one) => one !== undefined),
  );
  return didYouMean(word, known);
}
