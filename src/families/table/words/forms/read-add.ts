import type { AgentError } from '../../../../core/index.ts';
import type { TableRequest } from '../../request/request.ts';
import { quote } from '../../values/quote.ts';
import { afterTable } from '../conditions/condition-start.ts';
import { accept, fieldAt, isAt, isAtEnd, peek, skip, type Cursor } from '../cursor.ts';
import { readFieldValues } from '../read-field-values.ts';
import { notPlain } from '../stop.ts';
import { nearTo, unknownField } from '../unknown-field.ts';
import { wordsOf } from '../vocabulary.ts';

/** Reads the rest of a request after `add` or a synonym. */
export function readAdd(cursor: Cursor): TableRequest {
  let before: number;
  do {
    before = cursor.index;
    skip(cursor, fillers);
    if (fieldAt(cursor) === undefined || isFieldOnlyName(cursor))
      cursor.index = afterTable(cursor, cursor.index);
  } while (cursor.index > before);
  accept(cursor, leads);
  if (isAtEnd(cursor)) return { operation: 'add', records: [{}] };
  const isField = fieldAt(cursor) !== undefined || isAt(cursor, cursor.index + 1, operators);
  const near = isField ? undefined : nearField(cursor);
  if (near !== undefined) throw near;
  if (!isField) throw notPlain(`It is not clear which field ${quote(peek(cursor)?.text ?? '')} is for.`);
  return { operation: 'add', records: [readFieldValues(cursor, { isNew: true, isEnd: () => false })] };
}

/** Returns an error if the next word is similar to a field name and probably misspelt. */
function nearField(cursor: Cursor): AgentError | undefined {
  const token = peek(cursor);
  if (token?.kind !== 'word' || token.text.length < 3) return undefined;
  const hint = nearTo(cursor, token.text);
  return hint === undefined ? undefined : unknownField(cursor, token.text, token.start, hint);
}

const fillers = wordsOf('a an new another one the to into in');
const leads = wordsOf('with where having : whose');
const operators = wordsOf('= :');

/**
 * Whether a name that the table shares with a field refers to the table, judging by the words after the name.
 */
function isFieldOnlyName(cursor: Cursor): boolean {
  const next = afterTable(cursor, cursor.index);
  return (
    next > cursor.index &&
    (next >= cursor.tokens.length || fieldAt(cursor, next) !== undefined || isAt(cursor, next, leads))
  );
}
