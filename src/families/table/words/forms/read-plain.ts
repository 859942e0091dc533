import type { PlainRequest } from '../../request/request.ts';
import { afterTable } from '../condition-start.ts';
import type { Cursor } from '../cursor.ts';
import { buildPhrases, phraseAt } from '../phrases.ts';

/** A request that is a few fixed words, perhaps with the name of the table; undefined when it is none. */
export function readPlain(cursor: Cursor): PlainRequest | undefined {
  const named = phraseAt(cursor, phrases);
  if (named === undefined) return undefined;
  const end = cursor.index + named.length;
  const isWhole = end === cursor.tokens.length || (named.found === 'fields' && isTableOnly(cursor, end));
  return isWhole ? { operation: named.found } : undefined;
}

function isTableOnly(cursor: Cursor, index: number): boolean {
  const isOf = ['of', 'for', 'in', 'with'].includes(cursor.tokens[index]?.low ?? '');
  return afterTable(cursor, isOf ? index + 1 : index) === cursor.tokens.length;
}

const phrases = buildPhrases<PlainRequest['operation']>(
  [
    'undo',
    'undo|undo it|undo that|undo this|undo last change|undo the last change|undo my last change|undo last|undo the last one',
  ],
  ['undo', 'revert|revert it|revert that|revert last change|revert the last change|revert my last change'],
  [
    'fields',
    'fields|columns|help|describe|describe fields|describe the fields|explain|structure|schema|the fields|list fields',
  ],
  [
    'fields',
    'list the fields|show fields|show the fields|show columns|list columns|what fields are there|which fields are there',
  ],
  [
    'fields',
    'what can i ask|what can i do|what can i say|what can you do|what fields|which fields|what are the fields',
  ],
  ['next', 'next|more|next page|show more|show me more|continue|further|next ones|the next page|go on'],
  ['previous', 'previous|previous page|back|prev|go back|page back|the previous page|previous ones'],
);
